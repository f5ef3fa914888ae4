import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

let installed: InstalledPackage
let files: ReadonlyMap<string, string>

beforeAll(async () => {
  installed = await installPackage()
  files = new Map(
    filesIn(installed.folder).map((path) => [relative(installed.folder, path), readFileSync(path, 'utf8')]),
  )
}, 60_000)

afterAll(() => installed.remove())

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name))

it('npm publish succeeds as a dry run, with public access and provenance', async () => {
  const { publishConfig } = JSON.parse(files.get('package.json') ?? '')
  const args = ['publish', installed.tarball, '--dry-run', '--offline', '--ignore-scripts']

  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: root })

  expect(publishConfig).toEqual({ access: 'public', provenance: true })
  expect(stderr).toContain('public access (dry-run)')
  expect(stdout).toMatch(/^\+ identity-service-sdk@\d/m)
})

it('the build contains code, source maps, declarations and the licences of bundled packages, and nothing else', () => {
  const build = [...files.keys()].filter((path) => path.startsWith('dist/'))
  const others = build.filter((path) => !/\.(?:c?js|c?js\.map|d\.c?ts)$/.test(path))

  expect(build.length).toBeGreaterThan(50)
  expect(others).toEqual(['dist/THIRD-PARTY-LICENSES'])
})

it.each([
  ['a path of a machine', /(?:^|[\s"'`(=])(?:file:\/\/)?\/(?:home|root|tmp|work|Users|private)\/\w/m],
  ['a test or its tools', /['"]vitest['"/]|\.test\.ts\b/],
  ['a private registry', /"resolved":|_authToken|verdaccio/],
])('the build does not contain %s', (_, form) => {
  const build = [...files].filter(([path]) => path.startsWith('dist/'))

  expect(build.filter(([, text]) => form.test(text)).map(([path]) => path)).toEqual([])
})

it('the tarball contains the licence of every package that is bundled into it', () => {
  const notices = files.get('dist/THIRD-PARTY-LICENSES') ?? ''
  const packages = bundled()

  expect(packages).toEqual(expect.arrayContaining(['commander', 'csv-parse', 'hono', 'zod']))
  for (const name of packages) {
    const folder = join(root, 'node_modules', name)
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry)) as string
    const licence = readFileSync(join(folder, file), 'utf8').trim()
    expect(notices, name).toContain(`\n${name} `)
    expect(notices, name).toContain(licence)
  }
})

/** Returns the packages that the source imports and that are not installed with this package. */
function bundled(): readonly string[] {
  const { dependencies, peerDependencies } = JSON.parse(files.get('package.json') ?? '')
  const sources = filesIn(join(root, 'src')).map((path) => readFileSync(path, 'utf8'))
  const imported = sources.flatMap((source) =>
    [...source.matchAll(/^(?:import|export) (?!type )[^'"]*?from '([^.#'][^']*)'/gm)].map(([, name]) =>
      String(name),
    ),
  )
  const names = imported
    .filter((name) => !name.startsWith('node:'))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  // The command line imports the package itself by its name.
  const installed = ['identity-service-sdk', ...Object.keys({ ...dependencies, ...peerDependencies })]
  return [...new Set(names)].filter((name) => !installed.includes(name)).sort()
}
