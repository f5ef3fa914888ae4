import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

const root = new URL('../../', import.meta.url)

/** The paths that `npm publish` would publish. */
let published: ReadonlySet<string>

beforeAll(async () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const { stdout } = await promisify(execFile)('npm', args, { cwd: fileURLToPath(root) })
  const [packed] = Object.values(JSON.parse(stdout) as Record<string, { files: { path: string }[] }>)
  published = new Set(packed?.files.map(({ path }) => path))
}, 60_000)

it('every page is published, except those for contributors', () => {
  const missing = publicPages.filter((path) => !published.has(path))

  expect(missing.filter((path) => !/^docs\/(?:about|decisions)\//.test(path))).toEqual([
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
  ])
})

it('the reports of the public API, which are for reviews, are not published', () => {
  expect([...published].filter((path) => path.startsWith('api/'))).toEqual([])
})

it('every relative link of a published page leads to a published file', () => {
  const pages = [...published].filter((path) => path.endsWith('.md'))
  const broken = pages.flatMap((page) =>
    readPage(readFileSync(new URL(page, root), 'utf8'))
      .links.filter((link) => !/^(?:[a-z][a-z+.-]*:|#)/i.test(link))
      .map((link) => ({ page, target: posix.join(posix.dirname(page), link.split('#')[0] ?? '') }))
      // A page that is read in a terminal shows no picture. The site and the repository do.
      .filter(({ target }) => !target.startsWith('docs/images/') && !isPublished(target))
      .map(({ target }) => `${page} -> ${target}`),
  )

  expect(pages).toContain('README.md')
  expect(broken).toEqual([])
})

it('no published page has a placeholder for an address', () => {
  const placeholder = /your-org|github\.com\/(?:your|owner|org|example)|[">]TBD\b/
  const pages = [...published].filter((path) => path.endsWith('.md'))

  expect(pages.filter((path) => placeholder.test(readFileSync(new URL(path, root), 'utf8')))).toEqual([])
})

it('no file names a command that is not the name of the package, because npx would run a package of others', async () => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z'], { cwd: fileURLToPath(root) })
  const files = stdout.split('\0').filter((path) => path !== '' && existsSync(new URL(path, root)))
  const otherCommand = /(?<![\w-])identity[-]service(?![\w-])/

  expect(files).toContain('README.md')
  expect(files.filter((path) => otherCommand.test(readFileSync(new URL(path, root), 'utf8')))).toEqual([])
})

/** A link to a folder leads to its list of files. */
const isPublished = (target: string) =>
  published.has(target) || [...published].some((path) => path.startsWith(`${target.replace(/\/$/, '')}/`))
