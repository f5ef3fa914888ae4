import { mkdir } from 'node:fs/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { requireBinary } from './programs.ts'

/** Settings of the browser for one test. */
export interface Look {
  /** @default 'light' */
  readonly scheme?: 'light' | 'dark' | undefined
  /** `phone`: 320 px wide. @default 'desktop' */
  readonly width?: keyof typeof sizes | undefined
  /** @default true */
  readonly javaScript?: boolean | undefined
}

/** A page and the problems that it causes. */
export interface WatchedPage {
  readonly page: Page
  /** Opens another tab with the same cookies. */
  readonly anotherTab: () => Promise<Page>
  /** Allows requests to these origins. All other requests are problems. */
  readonly allow: (...origins: string[]) => void
  /** Problems so far. The test fails at its end unless this is empty. */
  readonly problems: string[]
}

export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 320, height: 640 },
} as const

/** Settings under which every page is tested. */
export const people: readonly (readonly [seen: string, look: Look])[] = [
  ['on a phone in the dark', { scheme: 'dark', width: 'phone' }],
  ['without JavaScript', { javaScript: false }],
]

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No page can reach another machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/**
 * Starts one Chromium for the tests of a file.
 *
 * @returns a function that opens a page without cookies and cache. A test fails if its page logs an error, throws,
 *   opens a dialog, violates its Content-Security-Policy or sends a request to an origin that is not allowed.
 */
export function browserOfThisFile(): (look?: Look) => Promise<WatchedPage> {
  // On a busy machine a browser starts slowly.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  let browser: Browser
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: requireBinary('chromium'), args })
  })
  afterAll(() => browser?.close())

  return async ({ scheme = 'light', width = 'desktop', javaScript = true } = {}) => {
    const context = await browser.newContext({
      colorScheme: scheme,
      viewport: sizes[width],
      javaScriptEnabled: javaScript,
      // Turns off transitions, so that tests see their end.
      reducedMotion: 'reduce',
    })
    // Shorter than the timeout of a test, so that the error names what the test waited for.
    context.setDefaultTimeout(20_000)
    const watched = await watch(context)
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await saveScreenshot(watched.page, task.name)
      await context.close()
      expect(watched.problems).toEqual([])
    })
    return watched
  }
}

async function watch(context: BrowserContext): Promise<WatchedPage> {
  const problems: string[] = []
  const allowed = new Set<string>()
  const visited = new Set<string>()
  context.on('request', (request) => {
    if (request.isNavigationRequest()) visited.add(request.url())
    const { origin, protocol } = new URL(request.url())
    if (/^(?:https?|wss?):$/.test(protocol) && !allowed.has(origin))
      problems.push(`request to an origin that is not allowed: ${request.method()} ${request.url()}`)
  })
  context.on('weberror', (error) => problems.push(`threw: ${error.error()}`))
  context.on('dialog', (dialog) => {
    problems.push(`opened a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('console', (message) => {
    // The browser logs an error for every page with an error status, and for an icon that a site does not have.
    const { url } = message.location()
    const isErrorPage =
      message.text().startsWith('Failed to load resource: the server responded with a status of') &&
      (visited.has(url) || url.endsWith('/favicon.ico'))
    if (message.type() === 'error' && !isErrorPage) problems.push(`console: ${message.text()}`)
  })
  return {
    page: await context.newPage(),
    anotherTab: () => context.newPage(),
    problems,
    allow: (...origins) => {
      for (const origin of origins) allowed.add(new URL(origin).origin)
    },
  }
}

/** Saves a screenshot of the page of a failed test. */
async function saveScreenshot(page: Page, test: string): Promise<void> {
  const folder = new URL('../../test-results/failures/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const name = test.replaceAll(/[^\w]+/g, '-').slice(0, 100)
  // The page itself may have crashed.
  await page.screenshot({ path: new URL(`${name}.png`, folder).pathname }).catch(() => {})
}
