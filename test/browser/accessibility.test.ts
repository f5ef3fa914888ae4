import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { violationsOf } from '../support/axe.ts'
import { browserOfThisFile, sizes } from '../support/browser.ts'
import { describeWith } from '../support/programs.ts'
import { open, pagesOf, type Visit } from './pages.ts'
import { createWorld, type World } from './world.ts'

const looks = ['light scheme', 'dark scheme', 'phone'] as const

interface Inspection {
  readonly visit: Visit
  readonly title: string
  readonly headings: number
  /** Targets of links and forms, as written in the markup. */
  readonly targets: readonly string[]
  readonly violations: Readonly<Record<(typeof looks)[number], readonly string[]>>
  readonly tooWideBy: number
}

const text = (field: string) => `some-${field}`

/** Replaces ids, so that pages of one kind have the same path. */
const kindOf = (path: string) =>
  path
    .replace(/\b(?:sess|evt|req)_\w+/, ':id')
    .replace(/^\/(s|activate)\/[^/?]+/, '/$1/:id')
    .replace(/faults\/\d+/, 'faults/:id')

describeWith('chromium', 'that the pages are accessible', () => {
  const newPage = browserOfThisFile()
  vi.setConfig({ testTimeout: 300_000 })
  let world: World
  let inspections: ReturnType<typeof inspectAll> | undefined

  beforeAll(async () => {
    world = await createWorld(text)
  })
  afterAll(() => world?.close())

  /** Inspects all pages once, in the first test. The other tests use the same result. */
  const everyPage = async () => {
    inspections ??= inspectAll()
    return [...(await inspections)]
  }

  async function inspectAll() {
    const inspected = new Map<string, Inspection>()
    const { page, allow } = await newPage()
    allow(world.url)
    for (const [name, visit] of Object.entries(pagesOf(world, text))) {
      await page.setViewportSize(sizes.desktop)
      await page.emulateMedia({ colorScheme: 'light' })
      await open(page, world.url, visit)
      const light = await violationsOf(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      const dark = await violationsOf(page, 'contrast')
      await page.setViewportSize(sizes.phone)
      const phone = await violationsOf(page, 'all but contrast')
      inspected.set(name, {
        visit,
        title: await page.title(),
        headings: await page.locator('h1').count(),
        targets: await page.evaluate(
          `Array.from(document.querySelectorAll('[href], form[action]'), (one) => one.getAttribute('href') ?? one.getAttribute('action'))`,
        ),
        violations: { 'light scheme': light, 'dark scheme': dark, phone },
        tooWideBy: await page.evaluate(`document.documentElement.scrollWidth - ${sizes.phone.width}`),
      })
    }
    return inspected
  }

  it.each(looks)('no page violates an accessibility rule: %s', async (look) => {
    const broken = (await everyPage()).flatMap(([name, { violations }]) =>
      violations[look].map((one) => `${name}: ${one}`),
    )

    expect(broken).toEqual([])
  })

  it('no page scrolls sideways at a width of 320 pixels', async () => {
    expect((await everyPage()).filter(([, { tooWideBy }]) => tooWideBy !== 0)).toEqual([])
  })

  it('every page has one main heading and a title', async () => {
    for (const [name, { title, headings }] of await everyPage()) {
      expect(headings, name).toBe(1)
      expect(title, name).toMatch(/^\S.* - local emulator$/)
    }
  })

  it('every page that a link or a form leads to was inspected', async () => {
    const all = (await everyPage()).map(([, inspection]) => inspection)
    const seen = new Set(all.map(({ visit }) => kindOf(visit.path.replace(/\?.*$/, ''))))
    const targetsOfAll = all.flatMap(({ targets }) => targets).filter((address) => !/^(?:[#?]|data:)/.test(address))
    const paths = targetsOfAll.map((address) => kindOf(new URL(address, world.url).pathname))

    // Forms of the console redirect to pages that were inspected.
    const isForm = (path: string) => /^\/_emulator\/.*\.\w+$/.test(path)
    expect(paths.filter((path) => !seen.has(path) && !isForm(path))).toEqual([])
  })
})
