import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unpackedBudget } from '../../.ci/budgets.mjs'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { bundledPackages } from './bundled-packages.ts'

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

it('the package with its declarations is within its budget', () => {
  const bytes = filesIn(installed.folder).reduce((sum, path) => sum + statSync(path).size, 0)

  expect(bytes).toBeLessThan(unpackedBudget)
})

it('npm publish succeeds as a dry run, with public access and provenance, and corrects nothing', async () => {
  const { publishConfig } = JSON.parse(files.get('package.json') ?? '')
  // npm wants a tag for a prerelease, and would be as silent as the one that runs this test.
  const options = ['--tag=next', '--offline', '--ignore-scripts', '--loglevel=notice']
  const args = ['publish', installed.folder, '--dry-run', ...options]

  const { stdout, stderr } = await promisify(execFile)('npm', args, { cwd: root })

  expect(publishConfig).toEqual({ access: 'public', provenance: true })
  expect(stderr).toContain('public access (dry-run)')
  expect(stderr).not.toContain('auto-corrected')
  expect(stdout).toMatch(/^\+ identity-service-sdk@\d/m)
})

it('the build contains code, declarations, the OpenAPI document and the bill of materials, and nothing else', () => {
  const build = [...files.keys()].filter((path) => path.startsWith('dist/'))

  expect(build.length).toBeGreaterThan(50)
  const others = build.filter((path) => !/\.(?:c?js|d\.c?ts)$/.test(path))
  expect(others.sort()).toEqual(['dist/openapi.json', 'dist/sbom.cdx.json'])
})

it.each([
  ['a path of a machine', /(?:^|[\s"'`(=])(?:file:\/\/)?\/(?:home|root|tmp|work|Users|private)\/\w/m],
  ['a test or its tools', /['"]vitest['"/]|\.test\.ts\b/],
  ['a private registry', /"resolved":|_authToken|verdaccio/],
])('the build does not contain %s', (_, form) => {
  const build = [...files].filter(([path]) => path.startsWith('dist/'))

  expect(build.filter(([, text]) => form.test(text)).map(([path]) => path)).toEqual([])
})

it('docs/licenses/third-party.txt has the license of every package in the build, in its version, and of no other', () => {
  const notices = files.get('docs/licenses/third-party.txt') ?? ''

  const packages = [...bundledPackages(installed.folder).keys()]
  expect(packages).toEqual(expect.arrayContaining(['commander', 'form-data', 'hono', 'jose', 'zod']))
  for (const name of packages) {
    const folder = join(root, 'node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((entry) => /^license/i.test(entry)) as string
    expect(notices, name).toContain(`\n${name} ${version} (${license})\n`)
    expect(notices, name).toContain(readFileSync(join(folder, file), 'utf8').trim())
  }
  expect([...notices.matchAll(/^-{80}\n(\S+) /gm)].map(([, name]) => name)).toEqual(packages)
})
