import { mkdir } from 'node:fs/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { requireBinary } from './programs.ts'

/** How a page is looked at. */
export interface Look {
  /** @default 'light' */
  readonly scheme?: 'light' | 'dark' | undefined
  /** `phone`: 320 px wide. @default 'desktop' */
  readonly width?: keyof typeof sizes | undefined
  /** @default true */
  readonly javaScript?: boolean | undefined
}

/** A page that is watched. */
export interface Watched {
  readonly page: Page
  /** Another tab of the same person. */
  readonly anotherTab: () => Promise<Page>
  /** The page may ask nobody else, by a link or by itself. */
  readonly allow: (...origins: string[]) => void
  /** What should not have happened so far. Read at the end of the test, which fails unless it is empty. */
  readonly problems: string[]
}

export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 320, height: 640 },
} as const

/** Whom a page is for, as far as they see and do different things. */
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
  // Nothing beyond this machine can be reached, whatever a page asks for.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
]

/**
 * One Chromium for the tests of a file.
 *
 * @returns opens a page that nobody has been at: no cookie, no cache. A test fails when its page has an error in the
 *   console, throws, opens a dialog, breaks its own Content-Security-Policy or asks anybody who was not allowed.
 */
export function browserOfThisFile(): (look?: Look) => Promise<Watched> {
  // The machine may be busy, and a browser starts slowly on it.
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
      // Nothing moves: what is looked at is the end of any transition.
      reducedMotion: 'reduce',
    })
    // Well within the time of a test, so that it tells what it waited for.
    context.setDefaultTimeout(20_000)
    const watched = await watch(context)
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') await keepForLater(watched.page, task.name)
      await context.close()
      expect(watched.problems).toEqual([])
    })
    return watched
  }
}

async function watch(context: BrowserContext): Promise<Watched> {
  const problems: string[] = []
  const allowed = new Set<string>()
  const visited = new Set<string>()
  context.on('request', (request) => {
    if (request.isNavigationRequest()) visited.add(request.url())
    const { origin, protocol } = new URL(request.url())
    if (/^(?:https?|wss?):$/.test(protocol) && !allowed.has(origin))
      problems.push(`asked a stranger: ${request.method()} ${request.url()}`)
  })
  context.on('weberror', (error) => problems.push(`threw: ${error.error()}`))
  context.on('dialog', (dialog) => {
    problems.push(`opened a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  context.on('console', (message) => {
    // Of a page of its own with an error's status, the browser says that it failed to load.
    const isErrorPage =
      message.text().startsWith('Failed to load resource: the server responded with a status of') &&
      visited.has(message.location().url)
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

/** A picture of what a failed test saw. */
async function keepForLater(page: Page, test: string): Promise<void> {
  const folder = new URL('../../test-results/failures/', import.meta.url)
  await mkdir(folder, { recursive: true })
  const name = test.replaceAll(/[^\w]+/g, '-').slice(0, 100)
  // The page may be what failed.
  await page.screenshot({ path: new URL(`${name}.png`, folder).pathname }).catch(() => {})
}
