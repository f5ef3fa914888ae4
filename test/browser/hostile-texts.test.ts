import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { browserOfThisFile } from '../support/browser.ts'
import { describeWith } from '../support/services.ts'
import { difference, type Piece, piecesOf, piecesOfEach } from './document-tree.ts'
import { hostileParts, waysToWrite } from './hostile-texts.ts'
import { markupOf, open, pagesOf } from './pages.ts'
import { createWorld, type Say, type World } from './world.ts'

/** Stands in every field of the model, and nowhere else. */
const word = (field: string) => `qx${field}xq`

/** Every field holds the same text, as far as it can. */
function saying(text: string) {
  const texts = new Map<string, readonly string[]>()
  const say: Say = (field, carried = (one) => one) => {
    const fitted = carried(text)
    texts.set(word(field), waysToWrite(fitted))
    return fitted
  }
  return { say, texts }
}

/** What was asked for wrongly is not said back; the rest is for programs to read. */
const shownNowhere = [
  ...['address', 'choice', 'client', 'effect', 'nobody', 'outcome', 'page', 'pick', 'session', 'step'],
  ...['claim', 'claimvalue', 'state', 'query', 'header', 'faultheader'],
  ...['currency', 'plan', 'holder', 'licensetype', 'providercode', 'useremail'],
].sort()

describeWith('chromium', 'that hostile texts stay texts', () => {
  const look = browserOfThisFile()
  const worlds: World[] = []
  const fields = new Set<string>()
  const worldOf = async (say: Say) => {
    const world = await createWorld(say)
    worlds.push(world)
    return { world, pages: Object.entries(pagesOf(world, say)) }
  }
  const markupsOf = async ({ world, pages }: Awaited<ReturnType<typeof worldOf>>) => {
    const markups = new Map<string, string>()
    for (const [name, visit] of pages) markups.set(name, await markupOf(world, visit))
    return markups
  }

  /** By page: where every field holds its word. */
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

  /** Where pages are others than their models, but for the texts. */
  async function differences(
    page: Page,
    pieces: readonly Piece[][],
    texts: ReturnType<typeof saying>['texts'],
  ) {
    modelPieces ??= await piecesOfEach(page, [...models.values()])
    const expected = modelPieces
    return [...models.keys()].flatMap((name, i) => {
      const found = difference(expected[i] ?? [], pieces[i] ?? [], texts)
      return found === undefined ? [] : [`${name}: ${found}`]
    })
  }

  it('every field is on some page, apart from those that are for programs alone', () => {
    const shown = [...models.values()].join()

    expect([...fields].filter((field) => !shown.includes(word(field))).sort()).toEqual(shownNowhere)
  })

  it.each(hostileParts.map((text, i) => ({ text, part: i + 1 })))(
    'no page is another than with harmless words but for the texts, part $part',
    async ({ text }) => {
      const { page } = await look()
      const { say, texts } = saying(text)

      const markups = await markupsOf(await worldOf(say))

      expect(await differences(page, await piecesOfEach(page, [...markups.values()]), texts)).toEqual([])
    },
  )

  it('nothing runs where no policy stops it, and nothing is wider than a phone', {
    timeout: 120_000,
  }, async () => {
    const { page, allow } = await look({ width: 'phone' })
    const { say, texts } = saying(String(hostileParts[0]))
    const { world, pages } = await worldOf(say)
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
})

/** Puts a policy in place of that of the pages under which whatever got into one would run. */
const allowScripts = (page: Page) =>
  page.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'document') return route.continue()
    const response = await route.fetch({ maxRedirects: 0 })
    // No images: the browser would ask for an icon too.
    const headers = { ...response.headers(), 'content-security-policy': "img-src 'none'" }
    await route.fulfill({ response, headers })
  })
