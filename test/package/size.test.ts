import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const KiB = 1024
const MiB = 1024 * KiB

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Leaves out everything that is loaded by a dynamic import. */
const startOnly: Plugin = {
  name: 'start-only',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

/** Bundles a program that uses one name of an entry. */
async function bundleOf(name: string, entry: string, plugins = [startOnly]) {
  const { outputFiles } = await build({
    stdin: { contents: `export { ${name} } from '${entry}'`, resolveDir: installed.project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    external: Object.keys(installed.manifest.dependencies),
    plugins,
    write: false,
  })
  return outputFiles.map(({ text }) => text).join('')
}

const root = 'identity-service-sdk'
const webhooks = 'identity-service-sdk/webhooks'

it.each([
  ['verifyWebhook', webhooks, 9 * KiB],
  ['verifyWebhook', root, 9 * KiB],
  ['verifyWebhookSignature', webhooks, 1.75 * KiB],
  ['verifyWebhookSignature', root, 1.75 * KiB],
  ['VerificationClient', root, 46 * KiB],
] as const)(
  '%s from %s is at most %d bytes, minified and compressed, without lazily loaded code',
  async (name, entry, budget) => {
    const bundle = await bundleOf(name, entry)

    expect(bundle).toContain(`as ${name}}`)
    expect(gzipSync(bundle, { level: 9 }).length).toBeLessThanOrEqual(budget)
  },
)

// Without splitting, esbuild puts what is loaded lazily into the same file.
it.each([root, 'identity-service-sdk/errors'])(
  'isErrorCode, isSdkError and each class of an error from %s cost at most 1 KiB, bundled without splitting',
  async (entry) => {
    const exported: object = await import(join(installed.folder, 'dist/errors.js'))
    const names = Object.keys(exported).filter((name) => /^is|^[A-Z]\w*Error$/.test(name))
    const sizes = await Promise.all(
      names.map(async (name) => [name, gzipSync(await bundleOf(name, entry, [])).length] as const),
    )

    expect(names.length).toBeGreaterThan(30)
    expect(sizes.filter(([, size]) => size > KiB)).toEqual([])
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

const isPackage = (folder: string) =>
  statSync(join(folder, 'package.json'), { throwIfNoEntry: false }) !== undefined

it('the installed package is smaller than 5 MiB', () => {
  expect(bytesIn(installed.folder)).toBeLessThan(5 * MiB)
})

it('the installed package with all its dependencies is smaller than 10 MiB', () => {
  const tree = [...treeOf(installed.folder)]

  expect(tree.length).toBeGreaterThan(Object.keys(installed.manifest.dependencies).length)
  expect(tree.reduce((sum, folder) => sum + bytesIn(folder), 0)).toBeLessThan(10 * MiB)
})
