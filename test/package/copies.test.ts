import { cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
  const { folder, project } = installed
  // A second version of the package.
  const second = join(project, 'node_modules/second-version')
  await cp(folder, second, { recursive: true })
  const manifest = JSON.parse(await readFile(join(second, 'package.json'), 'utf8'))
  await writeFile(join(second, 'package.json'), JSON.stringify({ ...manifest, name: 'second-version' }))
  // A bundle that contains a copy of its own.
  await build({
    stdin: { contents: "export * from 'identity-service-sdk'", resolveDir: project },
    outfile: join(project, 'bundle.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['undici', 'jose'],
    logLevel: 'error',
  })
}, 120_000)

afterAll(() => installed.remove())

/** Creates an error of every class of a copy of the package. The facts are those of any class. */
const errorsOf = `
  const facts = {
    message: 'no', code: 'not_found', status: 404, reason: 'limit_reached', issues: [], sessionId: 'sess_1', lastStatus: 'IN_REVIEW',
    failed: [], checks: [], deadlineMs: 1, mayHaveArrived: false, retryAfterMs: 1, idempotencyKey: 'key',
  }
  const classesOf = (copy) => Object.entries(copy).filter(([name, value]) => /^[A-Z]\\w*Error$/.test(name) && typeof value === 'function')
  const errorsOf = (copy) => classesOf(copy)
    .filter(([name]) => !['SdkError', 'CallError'].includes(name))
    .map(([name, Class]) => [name, new Class(facts)])
`

it('import and require give one class for each error', async () => {
  const output = await installed.run(
    'one-copy.cjs',
    `${errorsOf}
     const required = require('identity-service-sdk')
     import('identity-service-sdk').then((imported) => {
       const different = classesOf(imported).filter(([name, Class]) => required[name] !== Class).map(([name]) => name)
       const strangers = errorsOf(required).filter(([name, error]) => !(error instanceof imported[name])).map(([name]) => name)
       console.log(JSON.stringify({ count: classesOf(imported).length, different, strangers }))
     })`,
  )

  const { count, ...found } = JSON.parse(output)
  expect(count).toBeGreaterThan(30)
  expect(found).toEqual({ different: [], strangers: [] })
})

it.each([
  ['mjs', 'import', ''],
  ['cjs', 'require', '--no-experimental-require-module'],
])('a name that several entries export is one value (%s)', async (ending, load, options) => {
  // msw is not CommonJS, and its entry exports one name.
  const entries = JSON.stringify(installed.entries('import').flatMap(({ name }) => (name.endsWith('/msw') ? [] : name)))
  const output = await installed.run(
    `one-value.${ending}`,
    `Promise.all(${entries}.map((name) => ${load}(name))).then((loaded) => {
       const values = {}
       for (const entry of loaded)
         for (const [name, value] of Object.entries(entry)) if (!['default', '__esModule'].includes(name)) (values[name] ??= []).push(value)
       const several = Object.entries(values).filter(([, found]) => found.length > 1)
       const differing = several.filter(([, found]) => new Set(found).size > 1)
       console.log(JSON.stringify({ several: several.length, differing: differing.map(([name]) => name) }))
     })`,
    { NODE_OPTIONS: options },
  )

  const { several, differing } = JSON.parse(output)
  expect(several).toBeGreaterThan(8)
  expect(differing).toEqual([])
})

const scripts = async (ending: string): Promise<ReadonlyMap<string, string>> => {
  const dist = join(installed.folder, 'dist')
  const names = (await readdir(dist, { recursive: true })).filter((name) => name.endsWith(ending))
  return new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(dist, name), 'utf8')] as const)),
  )
}

it.each(['.js', '.cjs'])('no module is in two of the files that end with %s', async (ending) => {
  const files = new Map<string, Set<string>>()
  // The command loads the package as a program does. What it takes from single modules are copies of functions.
  for (const [name, text] of await scripts(ending))
    if (!['cli.js', 'start.js'].includes(name))
      for (const [, module = ''] of text.matchAll(/^\/\/ (src\/\S+)$/gm))
        files.set(module, (files.get(module) ?? new Set()).add(name))

  expect(files.size).toBeGreaterThan(250)
  expect([...files].filter(([, names]) => names.size > 1)).toEqual([])
})

it.each([
  ['index', ['clients', 'core']],
  ['express', ['clients', 'core']],
  ['webhooks', ['core']],
  ['fastify', ['core']],
  ['opentelemetry', ['core']],
  ['stores/redis', ['core']],
  ['stores/postgres', ['core']],
])('%s loads no other files of the package than %s', async (entry, expected) => {
  const texts = await scripts('.js')
  const loaded = new Set([`${entry}.js`])
  for (const file of loaded)
    for (const [, path = ''] of texts.get(file)?.matchAll(/^(?:import|export)\b[^'"]*["'](\.[^"']+)["']/gm) ?? [])
      loaded.add(posix.join(dirname(file), path))

  expect([...loaded].slice(1).sort()).toEqual(expected.map((name) => `${name}.js`))
})

it('require gives the CommonJS files to consumers without module-sync', async () => {
  const output = await installed.run('resolve.cjs', "console.log(require.resolve('identity-service-sdk'))", {
    NODE_OPTIONS: '--no-experimental-require-module',
  })

  expect(output.trim()).toMatch(/dist\/index\.cjs$/)
})

const otherCopies = [
  ['a second version', "import * as other from 'second-version'"],
  ['a bundle', "import * as other from './bundle.mjs'"],
  [
    'the CommonJS files',
    `import { createRequire } from 'node:module'
     const other = createRequire(import.meta.url)('./node_modules/identity-service-sdk/dist/index.cjs')`,
  ],
] as const

it.each(otherCopies)('isSdkError, isErrorCode and instanceof recognize every error of %s', async (_, load) => {
  const output = await installed.run(
    'copies.mjs',
    `${load}
     import * as own from 'identity-service-sdk'
     ${errorsOf}
     const { isErrorCode, isSdkError, NotFoundError } = own
     const errors = errorsOf(other)
     const unknown = errors.filter(([, error]) => !isSdkError(error) || !isErrorCode(error, error.code)).map(([name]) => name)
     const isOther = other.NotFoundError !== NotFoundError
     const classes = classesOf(other).map(([name]) => name)
     const parents = (error, copy) => classes.filter((name) => error instanceof copy[name]).join()
     const differ = errors.filter(([, error]) => parents(error, own) !== parents(error, other)).map(([name]) => name)
     console.log(JSON.stringify({ count: errors.length, isOther, unknown, differ }))`,
  )

  const { count, ...found } = JSON.parse(output)
  expect(count).toBeGreaterThan(28)
  expect(found).toEqual({ isOther: true, unknown: [], differ: [] })
})

it.each(otherCopies)(
  'configure of %s sets the defaults of this one, and clients of it pass their logger on',
  async (_, load) => {
    const output = await installed.run(
      'configured.mjs',
      `${load}
     import { createWebhookHandler, createVerificationManager, memoryStore, VerificationClient } from 'identity-service-sdk'
     const logged = []
     const logger = (name) => Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, () => logged.push(name)]))
     other.configure({ logger: logger('process') })
     await createWebhookHandler({ secret: 'secret', onTestEvent: () => {} }).handle({ body: '{}', headers: {} })
     const made = { baseUrl: 'http://localhost:1', apiKey: 'key', logger: logger('client'), fetch: () => Promise.reject(new TypeError('down')) }
     const client = new other.VerificationClient(made)
     const manager = createVerificationManager({ client, store: memoryStore(), session: {} })
     await manager.refresh('person').catch(() => {})
     console.log(JSON.stringify([...new Set(logged)]))`,
    )

    expect(JSON.parse(output)).toEqual(['process', 'client'])
  },
)
