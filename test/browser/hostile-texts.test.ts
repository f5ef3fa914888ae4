// Names of fields in the world: cspell:ignore claimvalue faultheader licensetype providercode

import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { rowsOfPage } from '../../src/emulator/console/kind.ts'
import { createEmulator } from '../../src/emulator.ts'
import { some } from '../attack/size.ts'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { difference, type Piece, piecesOf, piecesOfEach } from './document-tree.ts'
import { asToken, hostileParts, hostileTexts, inHeader, inPath, writtenForms } from './hostile-texts.ts'
import { markupOf, open, pagesOf } from './pages.ts'
import { createWorld, type FieldText, type World } from './world.ts'

/** Returns the harmless word of a field. It occurs nowhere else. */
const word = (field: string) => `qx${field}xq`

/** Fills every field with the same text, as far as the field can contain it. */
function filledWith(text: string) {
  const texts = new Map<string, readonly string[]>()
  const textOf: FieldText = (field, adapt = (one) => one) => {
    const fitted = adapt(text)
    texts.set(word(field), writtenForms(fitted))
    return fitted
  }
  return { textOf, texts }
}

/** Invalid input, which pages do not echo, and fields that only the API returns. */
const notShown = [
  ...['address', 'choice', 'client', 'end', 'page', 'pick', 'request', 'session', 'step', 'user'],
  ...['claim', 'claimvalue', 'state', 'faultheader'],
  ...['currency', 'plan', 'holder', 'licensetype', 'providercode'],
].sort()

describeWith('chromium', 'that hostile texts are shown as text', () => {
  const newPage = browserOfThisFile()
  const worlds: World[] = []
  const fields = new Set<string>()
  const worldOf = async (textOf: FieldText) => {
    const world = await createWorld(textOf)
    worlds.push(world)
    return { world, pages: Object.entries(pagesOf(world, textOf)) }
  }
  const markupsOf = async ({ world, pages }: Awaited<ReturnType<typeof worldOf>>) => {
    const markups = new Map<string, string>()
    for (const [name, visit] of pages) markups.set(name, await markupOf(world, visit))
    return markups
  }

  /** The markup of each page with harmless words. */
  let models: ReadonlyMap<string, string>
  let modelPieces: readonly Piece[][] | undefined
  beforeAll(async () => {
    models = await markupsOf(
      await worldOf((field) => {
        fields.add(field)
        return word(field)
      }),
    )
  })
  afterAll(() => Promise.all(worlds.map((world) => world.close())))

  /** Returns how pages differ from the pages with harmless words, other than in the texts. */
  async function differences(page: Page, pieces: readonly Piece[][], texts: ReturnType<typeof filledWith>['texts']) {
    modelPieces ??= await piecesOfEach(page, [...models.values()])
    const expected = modelPieces
    return [...models.keys()].flatMap((name, i) => {
      const found = difference(expected[i] ?? [], pieces[i] ?? [], texts)
      return found === undefined ? [] : [`${name}: ${found}`]
    })
  }

  it('every field is shown on a page, except invalid input and fields of the API only', () => {
    const shown = [...models.values()].join()

    expect([...fields].filter((field) => !shown.includes(word(field))).sort()).toEqual(notShown)
  })

  it.each(some(hostileParts, 4).map((text, i) => ({ text, part: i + 1 })))(
    'hostile texts change nothing but the texts of a page, part $part',
    async ({ text }) => {
      const { page } = await newPage()
      const { textOf, texts } = filledWith(text)

      const markups = await markupsOf(await worldOf(textOf))

      expect(await differences(page, await piecesOfEach(page, [...markups.values()]), texts)).toEqual([])
    },
  )

  it('no text runs as code without a content security policy, and no page is wider than a phone', {
    timeout: 120_000,
  }, async () => {
    const { page, allow } = await newPage({ width: 'phone' })
    const { textOf, texts } = filledWith(String(hostileParts[0]))
    const { world, pages } = await worldOf(textOf)
    allow(world.url)
    await allowScripts(page)
    const pieces: Piece[][] = []
    const ranAt: string[] = []
    const wideAt: string[] = []

    for (const [name, visit] of pages) {
      await open(page, world.url, visit)
      pieces.push(await piecesOf(page))
      if (await page.evaluate('"canary" in globalThis')) ranAt.push(name)
      if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) wideAt.push(name)
    }

    expect({ ranAt, wideAt }).toEqual({ ranAt: [], wideAt: [] })
    expect(await differences(page, pieces, texts)).toEqual([])
  })

  it('a page that changes while it is shown shows hostile texts as text', async () => {
    const emulator = createEmulator({ seed: 'log' })
    const { url, close, consoleUrl } = await emulator.listen()
    onTestFinished(close)
    const { page, allow } = await newPage()
    allow(url)
    const sent = hostileTexts.slice(0, rowsOfPage).map((text, i) => ({
      method: asToken(text),
      path: `/${i}/${inPath(text)}`,
      key: inHeader(text),
    }))
    await emulator.fetch(new Request(`${url}/api/v2/session`))
    await page.goto(`${consoleUrl}/requests`)
    await page.getByText('Live', { exact: true }).waitFor()

    for (const { method, path, key } of sent)
      await emulator.fetch(new Request(url + path, { method, headers: { 'idempotency-key': key } }))
    const [newest] = [...sent].reverse()
    await page.getByRole('link', { name: `${newest?.method} ${newest?.path}`, exact: true }).waitFor()

    const seen: string[] = await page.evaluate(
      `Array.from(document.querySelectorAll('tbody a'), (link) => link.textContent)`,
    )
    const elements = await page.evaluate(
      `[...new Set(Array.from(document.querySelectorAll('tbody *'), (one) => one.localName + one.attributes.length))]`,
    )
    expect(seen).toEqual(sent.reverse().map(({ method, path }) => `${method} ${path}`))
    expect(elements).toEqual(['tr0', 'td0', 'a1', 'code0', 'bdi0', 'br0', 'span1', 'span2', 'time1'])
    expect(await page.evaluate('"canary" in globalThis')).toBe(false)
  })
})

/** Replaces the content security policy of the pages with one that allows injected code to run. */
const allowScripts = (page: Page) =>
  page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch({ maxRedirects: 0 })
    // Images need no request.
    const headers = { ...response.headers(), 'content-security-policy': 'img-src data:' }
    await route.fulfill({ response, headers })
  })
