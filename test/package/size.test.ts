import { lstatSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { rollup } from 'rollup'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bundleBudgets, bundleOf, compressedSize, external } from '../../.ci/budgets.mjs'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const KiB = 1024
const MiB = 1024 * KiB

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

const bundlers = {
  esbuild: (name: string, script: string) => bundleOf(installed.folder, name, script),
  async Rollup(name: string, script: string) {
    const program = join(installed.folder, `dist/${name}-${script}.mjs`)
    writeFileSync(program, `export { ${name} } from './${script}.js'`)
    const bundle = await rollup({
      input: program,
      external: (id) => id.startsWith('node:') || external.includes(id),
      // What `sideEffects` in package.json says, for which Rollup needs a plugin.
      treeshake: { moduleSideEffects: false },
    })
    const { output } = await bundle.generate({ inlineDynamicImports: true })
    rmSync(program)
    return (await transform(output[0].code, { minify: true, format: 'esm' })).code
  },
}

it.each((['esbuild', 'Rollup'] as const).flatMap((bundler) => bundleBudgets.map((row) => [bundler, ...row] as const)))(
  'with %s, %s from %s is at most %d bytes, minified and compressed',
  async (bundler, name, script, budget) => {
    const bundle = await bundlers[bundler](name, script)

    expect(bundle).toContain(`as ${name}}`)
    expect(compressedSize(bundle)).toBeLessThanOrEqual(budget)
  },
)

const errorNames = async () => {
  const exported: object = await import(join(installed.folder, 'dist/index.js'))
  return Object.keys(exported).filter((name) => /^is[A-Z]|^[A-Z]\w*Error$/.test(name))
}
/** Rollup takes long for each. */
const someErrorNames = async () => ['isErrorCode', 'isSdkError', 'NotFoundError', 'WebhookVerificationError']

it.each([
  ['esbuild', errorNames, 30],
  ['Rollup', someErrorNames, 3],
] as const)(
  'with %s, isErrorCode, isSdkError and each class of an error cost at most 1.75 KiB',
  async (bundler, namesOf, least) => {
    const names = await namesOf()
    const sizes: (readonly [string, number])[] = []
    for (const name of names) sizes.push([name, compressedSize(await bundlers[bundler](name, 'index'))])

    expect(names.length).toBeGreaterThan(least)
    expect(sizes.filter(([, size]) => size > 1.75 * KiB)).toEqual([])
  },
)

/** Returns the size of the files in a folder, without the packages that are installed inside it. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .map((item) => join(item.parentPath, item.name))
    .reduce((sum, path) => sum + (lstatSync(path).isDirectory() ? bytesIn(path) : statSync(path).size), 0)
}

/** Returns the folders of a package and of all its dependencies. */
function treeOf(folder: string, found = new Set<string>()): Set<string> {
  if (found.has(folder)) return found
  found.add(folder)
  const manifest = join(folder, 'package.json')
  const { dependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8')) as { dependencies?: object }
  for (const name of Object.keys(dependencies)) {
    const places = createRequire(manifest).resolve.paths(name) ?? []
    const place = places.map((modules) => join(modules, name)).find(isPackage)
    if (place === undefined) throw new Error(`${name} is not installed`)
    treeOf(place, found)
  }
  return found
}

const isPackage = (folder: string) => statSync(join(folder, 'package.json'), { throwIfNoEntry: false }) !== undefined

it('the installed package with all its dependencies is smaller than 10 MiB', () => {
  const tree = [...treeOf(installed.folder)]

  expect(tree.length).toBeGreaterThan(Object.keys(installed.manifest.dependencies).length)
  expect(tree.reduce((sum, folder) => sum + bytesIn(folder), 0)).toBeLessThan(10 * MiB)
})
