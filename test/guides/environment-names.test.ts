import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { publicSettings, secretSettings } from '../../src/cli/env-settings.ts'
import { publicPages } from '../support/public-pages.ts'
import { columnOf } from './reading.ts'

const root = new URL('../../', import.meta.url)
const settings = new Set<string>([...publicSettings, ...secretSettings])

/** Every file from which readers copy: the pages, and the programs and settings of the examples. */
const copied = new Map(
  [...publicPages, ...programsIn('examples')].map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
)

function programsIn(folder: string): string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return ['node_modules', 'dist', '.next'].includes(entry.name) ? [] : programsIn(path)
    return /\.(?:tsx?|jsonc|capnp)$/.test(path) ? [path] : []
  })
}

/** Returns what a pattern matches in each file, with the file's path. */
const found = (pattern: RegExp) =>
  [...copied].flatMap(([path, text]) => [...text.matchAll(pattern)].map(([name]) => ({ path, name })))

it('pages and examples name only settings that the package or its command line reads', () => {
  const known = new Set([
    ...settings,
    'SVC_TRANSPORT',
    'SVC_ERROR_DETAIL',
    'SVC_LOG',
    'SVC_EMULATOR_HOST',
    'SVC_EMULATOR_ONLY',
  ])
  const names = found(/\bSVC_[A-Z_]*[A-Z]\b/g)

  expect(names.filter(({ name }) => !known.has(name))).toEqual([])
})

it('no page and no example has a name of its own for a setting of the package', () => {
  const names = found(/(?<![A-Z_])[A-Z][A-Z_]*_[A-Z]+\b/g)

  expect(names.filter(({ name }) => settings.has(`SVC_${name}`))).toEqual([])
})

it('the page of environment variables lists every setting, with the option that it replaces', () => {
  const page = 'docs/reference/environment-variables.md'
  const listed = columnOf(page, 'Environment variables')
  const options = columnOf(page, 'Environment variables', 1)

  expect(listed.sort()).toEqual([...settings, 'SVC_TRANSPORT', 'SVC_ERROR_DETAIL', 'SVC_LOG'].sort())
  const reference = readFileSync(new URL('docs/reference/options.md', root), 'utf8')
  expect(options.filter((name) => !reference.includes(`**\`${name}\`**`))).toEqual([])
})

it('every variable that the sources read is on the page of environment variables', () => {
  const page = copied.get('docs/reference/environment-variables.md') ?? ''
  const sources = readdirSync(fileURLToPath(new URL('src', root)), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(new URL(`src/${path}`, root), 'utf8'))
  const read = sources.flatMap((text) => [
    ...text.matchAll(/(?:environment\('|(?:process\.)?\benv\.)([A-Z]+_[A-Z_]+)/g),
  ])
  const names = new Set(read.map(([, name]) => String(name)))

  expect([...names]).toEqual(expect.arrayContaining(['NODE_ENV', 'SVC_ERROR_DETAIL', 'SVC_TRANSPORT']))
  expect([...names].filter((name) => !page.includes(`\`${name}`) && !/^(?:VITEST|JEST_|NODE_TEST)/.test(name))).toEqual(
    [],
  )
})
