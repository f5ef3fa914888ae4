import type { Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { VerificationClient } from '../../src/verification.ts'
import { browserOfThisFile, type Look } from '../support/browser.ts'
import { listening } from '../support/listening.ts'

/** Does what leads to another page, and waits until that is there: what stood on the page before is gone then. */
export async function arriving(page: Page, act: () => Promise<unknown>): Promise<void> {
  await Promise.all([page.waitForNavigation(), act()])
}

/**
 * A person in front of a browser and an emulator of their own, which listens on a free port.
 *
 * @returns opens a page of it; all that belongs to it ends with the test
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
       * An app that people are sent back to.
       *
       * @param heading of its page at an address
       * @returns `visits`: the addresses that the browser went to
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
  const { url } = await listening(async ({ url: target = '' }, response) => {
    const address = new URL(target, url)
    visits.push(address)
    response.writeHead(200, { 'content-type': 'text/html' })
    // Without an icon of its own, the browser would ask for one.
    response.end(
      `<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>App</title><h1>${await heading(address)}</h1>`,
    )
  })
  return { url, visits }
}
