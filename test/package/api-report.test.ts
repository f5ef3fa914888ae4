import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { declaredSurface } from './declared-surface.ts'

const reports = fileURLToPath(new URL('../../api', import.meta.url))
const root = 'identity-service-sdk'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Returns the public declarations of each entry. The root is last, because it re-exports names of the others. */
function surface(kind: 'import' | 'require'): Map<string, string> {
  const [index, ...others] = installed.entries(kind)
  return declaredSurface(installed.folder, index ? [...others, index] : [])
}

const reportOf = (name: string) => `${name === root ? 'index' : name.slice(root.length + 1)}.md`

it('the public surface matches the reports in api/ (npm run api updates them)', async () => {
  for (const [name, text] of surface('import')) {
    const report = `# ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`
    await expect(report).toMatchFileSnapshot(join(reports, reportOf(name)))
  }
}, 60_000)

it('the declarations for CommonJS are the same as those for ES modules', () => {
  expect(surface('require')).toEqual(surface('import'))
}, 60_000)

it('the root has at most 300 names', () => {
  const names =
    surface('import')
      .get('identity-service-sdk')
      ?.match(/^export /gm) ?? []

  expect(names.length).toBeGreaterThan(200)
  expect(names.length).toBeLessThanOrEqual(300)
}, 60_000)

it('api/ has one report for each entry, and no others', () => {
  const written = readdirSync(reports, { recursive: true, encoding: 'utf8' })

  expect(written.filter((path) => path.endsWith('.md')).sort()).toEqual(
    installed
      .entries('import')
      .map(({ name }) => reportOf(name))
      .sort(),
  )
})
