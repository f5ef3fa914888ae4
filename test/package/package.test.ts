import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

const entries = () =>
  Object.keys(installed.manifest.exports)
    .filter((path) => path !== './package.json')
    .map((path) => path.replace(/^\./, 'identity-service-sdk'))

/** Scripts that a program loads, as V8 itself counts them. */
async function loadedBy(source: string): Promise<string[]> {
  const folder = await mkdtemp(join(installed.project, 'coverage-'))
  await installed.run('load.mjs', source, { NODE_V8_COVERAGE: folder })
  const [report] = await readdir(folder)
  const { result } = JSON.parse(await readFile(join(folder, report as string), 'utf8')) as {
    result: { url: string }[]
  }
  return result.map(({ url }) => url)
}

it('the tarball holds the build, the licence, the readme and the changelog, and nothing else', async () => {
  const files = await readdir(installed.folder)
  expect(files.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'])
})

it('the installed runtime dependencies are undici, jose and form-data', () => {
  expect(Object.keys(installed.manifest.dependencies).sort()).toEqual(['form-data', 'jose', 'undici'])
})

it('every entry loads as an ES module and as CommonJS, with the same names', async () => {
  for (const entry of entries()) {
    const names =
      'console.log(Object.keys(loaded).filter((name) => name !== "default" && name !== "__esModule").sort().join())'
    const esm = await installed.run('names.mjs', `const loaded = await import('${entry}');${names}`)
    const cjs = await installed.run('names.cjs', `const loaded = require('${entry}');${names}`)
    expect(esm.trim(), entry).not.toBe('')
    expect(cjs, entry).toBe(esm)
  }
}, 120_000)

it.each(['mjs', 'cjs'])('an error class is the same from every entry (%s)', async (ending) => {
  const load = (entry: string) => (ending === 'mjs' ? `await import('${entry}')` : `require('${entry}')`)
  const output = await installed.run(
    `one-copy.${ending}`,
    `const root = ${load('identity-service-sdk')}
     const errors = ${load('identity-service-sdk/errors')}
     const webhooks = ${load('identity-service-sdk/webhooks')}
     webhooks.verifyWebhookSignature({ body: {}, headers: {}, secret: 's' }).catch((error) => {
       console.log(error instanceof root.WebhookVerificationError, error instanceof errors.SdkError, root.isSdkError(error))
     })`,
  )
  expect(output.trim()).toBe('true true true')
})

it('importing the root loads neither undici, jose nor form-data', async () => {
  const urls = await loadedBy(`await import('identity-service-sdk')`)
  expect(urls.some((url) => url.includes('identity-service-sdk/dist/index.js'))).toBe(true)
  expect(urls.filter((url) => /node_modules\/(undici|jose|form-data)\//.test(url))).toEqual([])
})

it('undici is loaded by the first call, form-data by the first upload', async () => {
  const call = (body: string) =>
    loadedBy(
      `const { VerificationClient } = await import('identity-service-sdk')
     const client = new VerificationClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'key', maxRetries: 0 })
     await ${body}.catch(() => {})`,
    )
  const lookup = await call('client.sessions.retrieve("sess_1")')
  expect(lookup.some((url) => url.includes('node_modules/undici/'))).toBe(true)
  expect(lookup.some((url) => url.includes('node_modules/form-data/'))).toBe(false)
  const upload = await call('client.checks.liveness({ image: new Uint8Array(8) })')
  expect(upload.some((url) => url.includes('node_modules/form-data/'))).toBe(true)
})

it('the declarations name no type of zod, undici or our own internals', async () => {
  const folder = join(installed.folder, 'dist')
  const names = (await readdir(folder)).filter((name) => /\.d\.c?ts$/.test(name))
  expect(names.length).toBeGreaterThan(0)
  for (const name of names) {
    const text = await readFile(join(folder, name), 'utf8')
    expect(text, name).not.toMatch(/from '(zod|undici|jose|form-data)/)
    expect(text, name).not.toMatch(/\bHttpClient\b|ZodMini|: any\b/)
  }
})

it.each([
  ['nodenext', 'import'],
  ['bundler', 'import'],
])(
  'a strict consumer compiles against the declarations under moduleResolution %s',
  async (resolution) => {
    const source = `import { assertPassed, isErrorCode, VerificationClient } from 'identity-service-sdk'
     import { verifyWebhook } from 'identity-service-sdk/webhooks'
     export async function use(client: VerificationClient, request: Request) {
       const event = await verifyWebhook({ body: await request.arrayBuffer(), headers: request.headers, secret: 's' })
       const { data, response } = await client.sessions.decision(event.session_id).withResponse()
       for (const check of data.checks) if (check.type === 'age') console.log(check.data.age?.toFixed(), response.requestId)
       assertPassed(await client.checks.age({ dob: '2000-01-01', bands: [18, '21+'] }))
       try { await client.sessions.updateStatus('s', { status: 'APPROVED' }) } catch (error) {
         if (isErrorCode(error, 'already_decided')) console.log(error.details.status)
       }
     }`
    const module = resolution === 'nodenext' ? 'nodenext' : 'esnext'
    const options = { module, moduleResolution: resolution }

    expect(await installed.compile({ 'consumer.mts': source }, options)).toBe('')
  },
  120_000,
)

it('a call over the pooled transport does not keep the process alive', async () => {
  const output = await installed.run(
    'exits.mjs',
    `import { createServer } from 'node:http'
     import { VerificationClient } from 'identity-service-sdk'
     const server = createServer((_, response) => response.end('{"success":true,"data":[],"error":null}')).listen(0, async () => {
       const client = new VerificationClient({ baseUrl: 'http://127.0.0.1:' + server.address().port, apiKey: 'key' })
       console.log((await client.sessions.list()).length)
       server.unref()
     })`,
  )
  expect(output.trim()).toBe('0')
})
