// A heading in lower case: cspell:ignore updatestatus

import { readFileSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seriousViolationsOf } from '../support/axe.ts'
import { browserOfThisFile, type Look } from '../support/browser.ts'
import { readPage } from '../support/markdown.ts'
import { describeWith } from '../support/programs.ts'
import { publicDocstrings } from '../support/public-docstrings.ts'
import { publicPages } from '../support/public-pages.ts'
import { type BuiltSite, buildSite } from './built-site.ts'

const root = new URL('../../', import.meta.url)
const screenshots = new URL('test-results/screenshots/', root)

let site: BuiltSite

beforeAll(async () => {
  site = await buildSite()
  // Two minutes next to other tests, and several times as long next to those of browsers.
}, 1_200_000)

afterAll(() => site?.remove())

it('the site is built without warnings: no undocumented name, no broken link, no missing type', () => {
  expect(site.warnings).toBe('')
})

it('every link leads to an existing page and anchor', () => {
  const anchors = new Map([...site.pages].map(([path, html]) => [path, anchorsIn(html)]))
  const exists = (link: string) => {
    const [path = '', anchor = ''] = link.split('#')
    const page = anchors.get(path)
    return site.files.has(path) && (anchor === '' || page === undefined || page.has(anchor))
  }
  const links = [...site.pages.keys()]
    .filter((page) => page !== '404.html')
    .flatMap((page) => site.linksOf(page).map((link) => ({ page, link })))

  expect(links.length).toBeGreaterThan(5_000)
  const broken = links.filter(({ link }) => !exists(link)).map(({ page, link }) => `${page} -> ${link}`)
  expect([...new Set(broken)]).toEqual([])
})

const anchorsIn = (html: string) => new Set([...html.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => String(id)))

it('every guide, decision and example is a page of the site', () => {
  const markdown = publicPages.filter((path) => path !== 'README.md')
  const missing = markdown
    .map((path) => path.replace(/README\.md$/, 'index.md').replace(/\.md$/, '.html'))
    .filter((path) => !site.pages.has(path))

  expect(markdown.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})

it('the front page has one title, and the picture of the README', () => {
  const front = site.pages.get('index.html') ?? ''
  const picture = /!\[([^\]]+)\]\(docs\/images\/hosted-verification\.svg\)/.exec(
    readFileSync(new URL('README.md', root), 'utf8'),
  )

  expect(textOf('index.html')).toContain('Verify people from your backend')
  expect(front.replaceAll('&#39;', "'")).toContain(`alt="${picture?.[1]}"`)
  expect(front.match(/<h1/g)).toHaveLength(1)
})

it('the program of the front page is the first one of the README, which a test runs', () => {
  const [own, first] = ['docs/site/index.md', 'README.md'].map((path) => {
    const parts = readFileSync(new URL(path, root), 'utf8').split('```')
    return parts.find((part) => /^(?:js|ts)\n/.test(part))?.slice('js'.length)
  })

  expect(own).toContain('sessions.create')
  expect(own).toBe(first)
})

it('the reference has every public name, and no others', () => {
  const names = new Set(publicDocstrings().map(({ name }) => name.split('.')[0] ?? ''))
  const kinds = /^reference\/(?:classes|enums|functions|interfaces|types|variables)\/(?:.*\.)?([\w$]+)\.html$/
  const listed = new Set([...site.pages.keys()].flatMap((path) => kinds.exec(path)?.[1] ?? []))

  expect([...listed].sort()).toEqual([...names].sort())
})

it.each([
  ['variables', 'checkStatuses', 'review'],
  ['variables', 'sessionStatuses', 'ABANDONED'],
  ['variables', 'memberStatuses', 'link_sent'],
  ['variables', 'memberRoles', 'developer'],
  ['types', 'Outcome', 'DECLINED'],
  ['types', 'CheckType', 'face_match'],
  ['types', 'WebhookEventType', 'verification.expired'],
])('the page of %s, %s shows the values that the contract lists', (kind, name, value) => {
  expect(textOf(`reference/${kind}/identity-service-sdk.${name}.html`)).toContain(`"${value}"`)
})

it('every entry of the package has a page', () => {
  const { name, exports } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
    name: string
    exports: object
  }
  const entries = Object.keys(exports).filter((path) => !path.endsWith('.json'))
  const modules = [...site.pages.keys()].filter((path) => path.startsWith('reference/modules/'))

  expect(modules.sort()).toEqual(
    entries
      .filter((path) => !path.endsWith('.json'))
      .map((path) => `reference/modules/${(name + path.slice(1)).replaceAll('/', '_')}.html`)
      .sort(),
  )
})

/** The text of a page, without its markup. */
const textOf = (path: string) =>
  (site.pages.get(path) ?? '')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

it('the sidebar of the guides lists every guide of the index', () => {
  const guides = readPage(readFileSync(new URL('docs/README.md', root), 'utf8'))
  const linked = site.linksOf('docs/getting-started.html')
  const pages = guides.links.map((path) =>
    new URL(path, 'http://site/docs/').pathname
      .slice(1)
      .replace(/README\.md$/, 'index.md')
      .replace(/\.md$/, '.html'),
  )

  expect(pages.length).toBeGreaterThan(15)
  expect(pages.filter((page) => !linked.includes(page))).toEqual([])
})

it('the Markdown of every page is next to it, and llms.txt lists every page of the index', () => {
  const sources = publicPages.filter((path) => path !== 'README.md')
  const markdown = sources.map((path) => path.replace(/README\.md$/, 'index.md'))
  const listed = [...site.text('llms.txt').matchAll(/\]\(\/([^)]+)\)/g)].map(([, path]) => String(path))

  expect(markdown.filter((path) => !site.files.has(path))).toEqual([])
  expect(listed.length).toBeGreaterThan(40)
  expect(listed.filter((path) => !site.files.has(path))).toEqual([])
})

describeWith('chromium', 'in a browser', () => {
  const open = browserOfThisFile()

  /** Opens a page of the site. A request to another origin fails the test. */
  async function at(path: string, size?: { width: number; height: number }, look: Look = {}) {
    const url = await site.serve()
    const watched = await open(look)
    watched.allow(url)
    if (size) await watched.page.setViewportSize(size)
    await watched.page.goto(`${url}/${path}`)
    return { ...watched, url }
  }

  const pages = [
    ['front-page', 'index.html'],
    ['guide', 'docs/guides/webhooks.html'],
    ['page with pictures', 'docs/guides/hosted-verification.html'],
    ['reference', 'reference/interfaces/identity-service-sdk.Sessions.html'],
  ] as const
  const sizes = [
    ['desktop', { width: 1280, height: 900 }],
    ['phone', { width: 360, height: 740 }],
  ] as const

  const looks = pages.flatMap(([name, path]) =>
    sizes.flatMap(([device, size]) =>
      (['light', 'dark'] as const).map((scheme) => ({ name, path, device, size, scheme })),
    ),
  )

  it.each(looks)(
    'the $name in the $scheme fits the screen of a $device, breaks no name in a table and no line of code, and people with a screen reader can use it',
    async ({ name, path, device, size, scheme }) => {
      const { page } = await at(path, size, { scheme })
      await mkdir(screenshots, { recursive: true })
      const picture = new URL(`site-${name.replaceAll(' ', '-')}-${device}-${scheme}.png`, screenshots)

      await page.screenshot({ path: picture.pathname })

      expect((await stat(picture)).size).toBeGreaterThan(5_000)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(size.width)
      expect(await page.evaluate(brokenText)).toEqual([])
      const serious = await seriousViolationsOf(page)
      // A group of the theme's sidebar is a button, and its arrow is another button in it.
      expect(serious.filter((one) => !/^nested-interactive .*\.item\[role/.test(one))).toEqual([])
    },
  )

  async function searchFor(words: string) {
    const visited = await at('docs/getting-started.html')
    await visited.page.getByRole('button', { name: 'Search' }).click()
    await visited.page.locator('#localsearch-input').fill(words)
    return { ...visited, results: visited.page.locator('#localsearch-list a') }
  }

  it('the search finds a method by its name and leads to it', async () => {
    const { page, results } = await searchFor('updateStatus')

    await results.filter({ hasText: 'updateStatus()' }).first().click()
    await page.waitForURL(/interfaces\/identity-service-sdk\.Sessions\.html#updatestatus$/)

    // The address changes before the page does.
    await page.locator('#updatestatus').waitFor()
  })

  it('a picture keeps its size on a phone, where it scrolls', async () => {
    const { page } = await at('docs/guides/hosted-verification.html', { width: 360, height: 740 })

    expect(await page.evaluate('document.querySelector(".vp-doc p > img").clientWidth')).toBe(720)
  })

  it.each([
    ['a guide by its title', 'Proxies', 'Proxies and TLS'],
    ['a guide by a code in its text', 'body_not_raw', 'Troubleshooting'],
    ['an error code', 'verification_soft_locked', 'Error codes'],
  ])('the search finds %s', async (_, words, title) => {
    const { results } = await searchFor(words)

    await results.filter({ hasText: title }).first().waitFor()
  })
})

/**
 * Returns the names in tables that are on more than one line, and the blocks of code whose lines wrap. Runs in the
 * page.
 */
const brokenText = `[
  ...[...document.querySelectorAll('td code, th code')].filter((name) => name.getClientRects().length > 1),
  ...[...document.querySelectorAll('pre')].filter((block) => getComputedStyle(block).whiteSpace !== 'pre'),
].map(({ textContent }) => textContent)`
