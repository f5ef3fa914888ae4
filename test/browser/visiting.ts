import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { VerificationClient } from '../../src/index.ts'
import { browserOfThisFile, type Look } from '../support/browser.ts'
import { serveListener } from '../support/serve-listener.ts'

/** Runs an action that leads to another page, and waits until that page is loaded. */
export async function arriving(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForNavigation(), act()])
}

/**
 * Prepares a browser for the tests of a file.
 *
 * @returns a function that opens a page and starts an emulator on a free port; both are closed after the test
 */
export function visiting() {
  const open = browserOfThisFile()

  return async (look: Look = {}, options: EmulatorOptions = {}) => {
    const emulator = createEmulator({ seed: 'browser', ...options })
    const server = await emulator.listen()
    onTestFinished(() => server.close())
    const watched = await open(look)
    watched.allow(server.url)
    return {
      ...watched,
      emulator,
      url: server.url,
      console: server.consoleUrl,
      client: new VerificationClient(emulator.options.verification),
      /**
       * Starts an app that the emulator redirects people to.
       *
       * @param heading returns the heading of the app's page for an address
       * @returns `visits`: the addresses that the browser opened
       */
      anApp: async (heading?: (address: URL) => string | Promise<string>) => {
        const app = await anApp(heading)
        watched.allow(app.url)
        return app
      },
    }
  }
}

async function anApp(heading: (address: URL) => string | Promise<string> = () => 'Back at the app') {
  const visits: URL[] = []
  const { url } = await serveListener(async ({ url: target = '' }, response) => {
    const address = new URL(target, url)
    visits.push(address)
    response.writeHead(200, { 'content-type': 'text/html' })
    // With an icon, so that the browser does not request one.
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>${await heading(address)}</h1>`,
    )
  })
  return { url, visits }
}
