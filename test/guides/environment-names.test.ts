import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { publicSettings, secretSettings } from '../../src/cli/settings.ts'
import { publicPages } from '../support/public-pages.ts'

const root = new URL('../../', import.meta.url)
const settings = new Set<string>([...publicSettings, ...secretSettings])

/** Every file from which readers copy: the pages, and the programs and settings of the examples. */
const copied = new Map(
  [...publicPages, ...programsIn('examples')].map((path) => [
    path,
    readFileSync(new URL(path, root), 'utf8'),
  ]),
)

function programsIn(folder: string): string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory())
      return ['node_modules', 'dist', '.next'].includes(entry.name) ? [] : programsIn(path)
    return /\.(?:js|jsonc|capnp)$/.test(path) ? [path] : []
  })
}

/** Returns what a pattern matches in each file, with the file's path. */
const found = (pattern: RegExp) =>
  [...copied].flatMap(([path, text]) => [...text.matchAll(pattern)].map(([name]) => ({ path, name })))

it('pages and examples name only settings that the package or its command line reads', () => {
  const known = new Set([...settings, 'SVC_TRANSPORT', 'SVC_ERROR_DETAIL'])
  const names = found(/\bSVC_[A-Z_]*[A-Z]\b/g)

  expect(names.filter(({ name }) => !known.has(name))).toEqual([])
})

it('no page and no example has a name of its own for a setting of the package', () => {
  const names = found(/(?<![A-Z_])[A-Z][A-Z_]*_[A-Z]+\b/g)

  expect(names.filter(({ name }) => settings.has(`SVC_${name}`))).toEqual([])
})

it('the README shows every setting', () => {
  const readme = copied.get('README.md') ?? ''

  expect([...settings].filter((name) => !readme.includes(name))).toEqual([])
})
