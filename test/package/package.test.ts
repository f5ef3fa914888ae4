import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Returns the URLs of the scripts that a program loads, from the coverage report of V8. */
async function loadedBy(source: string): Promise<string[]> {
  const folder = await mkdtemp(join(installed.project, 'coverage-'))
  await installed.run('load.mjs', source, { NODE_V8_COVERAGE: folder })
  const [report] = await readdir(folder)
  const { result } = JSON.parse(await readFile(join(folder, report as string), 'utf8')) as {
    result: { url: string }[]
  }
  return result.map(({ url }) => url)
}

it('the tarball contains the build, the documents and the examples', async () => {
  const files = await readdir(installed.folder)
  expect(files.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'dist',
    'docs',
    'examples',
    'package.json',
    'skills',
  ])
})

it("no CommonJS file contains an import(), because Jest's sandbox rejects it", async () => {
  const dist = join(installed.folder, 'dist')
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith('.cjs'))
  const found: string[] = []
  for (const file of files) {
    const visit = (node: ts.Node) => {
      if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) found.push(file)
      ts.forEachChild(node, visit)
    }
    visit(ts.createSourceFile(file, await readFile(join(dist, file), 'utf8'), ts.ScriptTarget.Latest))
  }
  expect(files.length).toBeGreaterThan(20)
  expect(found).toEqual([])
})

it('importing the root loads neither undici, jose nor the code of forms', async () => {
  const urls = await loadedBy(`await import('identity-service-sdk')`)
  expect(urls.some((url) => url.includes('identity-service-sdk/dist/index.js'))).toBe(true)
  expect(urls.filter((url) => /node_modules\/(undici|jose)\/|form-frames/.test(url))).toEqual([])
})

it('undici is loaded by the first call, the code of forms by the first upload', async () => {
  const call = (body: string) =>
    loadedBy(
      `const { VerificationClient } = await import('identity-service-sdk')
     const client = new VerificationClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', maxRetries: 0 })
     await ${body}.catch(() => {})`,
    )
  const lookup = await call('client.sessions.retrieve("sess_1")')
  expect(lookup.some((url) => url.includes('node_modules/undici/'))).toBe(true)
  expect(lookup.some((url) => url.includes('/form-frames.node.'))).toBe(false)
  const upload = await call('client.checks.liveness({ image: new Uint8Array(8) })')
  expect(upload.some((url) => url.includes('/form-frames.node.'))).toBe(true)
})
