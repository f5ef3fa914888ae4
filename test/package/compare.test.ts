import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.ts'

const script = fileURLToPath(new URL('../../.ci/compare.mjs', import.meta.url))
const folder = temporaryFolder()

function write(build: string, files: Readonly<Record<string, string>>) {
  const manifest = JSON.stringify({ name: 'identity-service-sdk', version: '1.0.0', files: ['dist'] })
  for (const [path, text] of Object.entries({ 'package.json': manifest, ...files })) {
    const file = join(folder, build, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}

beforeAll(() => {
  const report = (name: string) => `# index\n\n\`\`\`ts\nexport class ${name} {\n}\n\`\`\`\n`
  write('base', {
    'dist/index.js': 'export const verifyWebhook = 1\n',
    'dist/webhooks.js': 'export const verifyWebhook = 1\n',
    'api/index.md': report('OrgClient'),
    'api/org.md': report('Org'),
  })
  write('head', {
    'dist/index.js': `export const verifyWebhook = 1\nexport const OrgClient = 2${' '.repeat(2048)}\n`,
    'dist/webhooks.js': "export const verifyWebhook = 'more than before, also compressed'\n",
    'api/index.md': report('OrganizationClient'),
    'api/org.md': report('Org'),
  })
})

async function compare(...builds: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...builds], { cwd: folder })
  return stdout
}

const rowOf = (table: string, title: string) =>
  table
    .split('\n')
    .find((line) => line.startsWith(`| ${title} |`))
    ?.split(' | ')
    .slice(1)
    .map((cell) => cell.replace(' |', ''))

it('the comparison of two builds has the size of each, the difference and the budget', async () => {
  const table = await compare('base', 'head')

  const [budget, base, head, difference] = rowOf(table, 'unpacked')?.map(Number) ?? []
  expect(budget).toBe(5 * 1024)
  expect(head).toBeGreaterThan(2)
  expect(difference).toBeCloseTo(Number(head) - Number(base), 1)
  expect(rowOf(table, 'packed')?.map(Number)[3]).toBeGreaterThan(0)
  expect(rowOf(table, 'bundle with `verifyWebhook` of `webhooks`')?.map(Number)[3]).toBeGreaterThan(0)
  expect(rowOf(table, 'bundle with `verifyWebhook` of `index`')?.[3]).toBe('0.00')
})

it('the comparison leaves the size empty of a name that one build does not export', async () => {
  const table = await compare('base', 'head')

  expect(rowOf(table, 'bundle with `OrgClient` of `index`')).toEqual([
    expect.stringMatching(/^\d+\.\d\d$/),
    '',
    expect.stringMatching(/^0\.\d\d$/),
    '',
  ])
})

it('the comparison shows which lines of the reports of the public API differ', async () => {
  const [, api = ''] = (await compare('base', 'head')).split('## Public API\n')

  expect(api).toMatch(/^\n````diff\n--- base\/api\/index.md\n\+\+\+ head\/api\/index.md\n/)
  expect(api).toContain('\n-export class OrgClient {\n+export class OrganizationClient {\n')
  expect(api).not.toContain('org.md')
  expect(api).toMatch(/\n````\n$/)
})

it('the comparison says so if no report differs', async () => {
  expect(await compare('head', 'head')).toMatch(/\n## Public API\n\nNo difference\.\n$/)
})
