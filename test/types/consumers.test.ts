import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith } from '../support/programs.ts'
import { type CompilerName, compilerPath, compilers, installedTypes } from './compilers.ts'
import { inferredExports } from './inferred-exports.ts'

const programs = new URL('consumer/', import.meta.url)
const run = promisify(execFile)

const fastest = 'typescript-7' satisfies CompilerName

/** Programs that import a framework for Node, and programs that use Node itself. */
const usesFramework = /from '(?:identity-service-sdk\/)?(?:express|fastify|msw)'/
const usesNode = /from 'node:|\bprocess\.|\bBuffer\b/

/** CommonJS with TypeScript's own `import = require()`. */
const required = `
  import sdk = require('identity-service-sdk')
  import webhooks = require('identity-service-sdk/webhooks')
  export const client: sdk.VerificationClient = new sdk.VerificationClient()
  export const same: typeof sdk.verifyWebhook = webhooks.verifyWebhook`

/** CommonJS that passes objects of the ES module to functions of the CommonJS module. */
const mixed = `
  import type * as esm from 'identity-service-sdk' with { 'resolution-mode': 'import' }
  import * as cjs from 'identity-service-sdk'
  export const manager = (oidc: esm.OidcClient, store: esm.Store) => cjs.createTokenManager({ oidc, store })
  export const signIn = (oidc: esm.OidcClient, store: esm.Store) =>
    cjs.createSignInHandler({ oidc, store, cookieSecret: 'secret', onSignIn: () => undefined })
  export const handler = (store: esm.Store) => cjs.createWebhookHandler({ secret: 'secret', store, onTestEvent: () => {} })
  export const passed = (result: esm.StandaloneResult<'age'>) => cjs.assertPassed(result)
  export const clients = (verification: esm.VerificationClient, org: esm.OrgClient) => {
    const both: [cjs.VerificationClient, cjs.OrgClient] = [verification, org]
    return both
  }`

/** Exports all names of the entries that need no other package. */
const everything = (entries: readonly string[]) =>
  entries
    .filter((entry) => !/\/(?:express|fastify|msw)$/.test(entry))
    .map((entry, i) => `export * as entry${i} from '${entry}'`)
    .join('\n')

describeWith(compilers, 'that programs of consumers compile with TypeScript 5.4, 5.9, 6 and 7', () => {
  let installed: InstalledPackage
  /** The programs, without the endings of their files. */
  const all: string[] = []
  const withFramework = new Set<string>()
  const withoutNode: string[] = []

  beforeAll(async () => {
    installed = await installPackage()
    const write = async (file: string, source: string) => {
      await mkdir(dirname(join(installed.project, file)), { recursive: true })
      await writeFile(join(installed.project, file), source)
    }
    for (const file of await readdir(programs, { recursive: true })) {
      if (!file.endsWith('.ts')) continue
      const source = await readFile(new URL(file, programs), 'utf8')
      const name = file.replace(/\.ts$/, '')
      all.push(name)
      if (usesFramework.test(source)) withFramework.add(name)
      else if (!usesNode.test(source)) withoutNode.push(name)
      for (const ending of ['mts', 'cts']) await write(`${name}.${ending}`, source)
    }
    await write('required.cts', required)
    await write('mixed.cts', mixed)
    const fetchOfBun = await readFile(new URL('fetch-of-bun.ts', import.meta.url), 'utf8')
    for (const ending of ['mts', 'cts']) await write(`fetch-of-bun.${ending}`, fetchOfBun)
    const entries = installed.entries('import').map(({ name }) => name)
    await write('everything.mts', everything(entries))
    // The types of OpenTelemetry need that of the console.
    await write('inferred.mts', inferredExports(installed))
    await write('own-types.mts', everything(entries.filter((name) => !name.endsWith('/opentelemetry'))))
  }, 60_000)

  afterAll(() => installed.remove())

  /** Compiles programs, and all declarations that they load. Returns the errors. */
  async function compile(compiler: CompilerName, files: readonly string[], options: object): Promise<string> {
    const folder = await mkdtemp(join(installed.project, `${compiler}-`))
    const config = join(folder, 'tsconfig.json')
    const compilerOptions = {
      noEmit: true,
      target: 'es2022',
      esModuleInterop: true,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      ...options,
    }
    await writeFile(config, JSON.stringify({ compilerOptions, files: files.map((file) => `../${file}`) }))
    return run(process.execPath, [compilerPath(compiler), '-p', config], { maxBuffer: 2 ** 26 }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
  }

  const asModules = (names: readonly string[]) => names.map((name) => `${name}.mts`)
  const asCommonJs = (names: readonly string[]) => names.map((name) => `${name}.cts`)
  const nodenext = { module: 'nodenext' }
  const bundler = { module: 'preserve', moduleResolution: 'bundler' }
  const verbatim = { ...bundler, verbatimModuleSyntax: true }
  const onNode = { lib: ['es2022'], types: ['node'] }
  const inBrowser = { lib: ['es2022', 'dom'], types: [] }
  const onWorkers = { lib: ['es2022'], types: [installedTypes('@cloudflare/workers-types')] }
  const onNothing = { lib: ['es2022'], types: [] }

  it.each(compilers)(
    '%s, nodenext, with the types of Node: ES modules and CommonJS',
    async (compiler) => {
      const files = [...asModules(all), ...asCommonJs(all), 'required.cts', 'mixed.cts']

      expect(await compile(compiler, files, { ...nodenext, ...onNode })).toBe('')
    },
    120_000,
  )

  it.each(compilers)(
    '%s, bundler, with the types of Node: ES modules, and CommonJS with require',
    async (compiler) => {
      // Only the fastest compiler checks the types of frameworks again, because they take most of the time.
      const names = compiler === fastest ? all : all.filter((name) => !withFramework.has(name))

      expect(await compile(compiler, asModules(names), { ...verbatim, ...onNode })).toBe('')
      expect(await compile(compiler, ['required.cts'], { ...bundler, ...onNode })).toBe('')
    },
    120_000,
  )

  it.each(compilers)(
    '%s, bundler, with lib dom and without the types of Node',
    async (compiler) => {
      expect(await compile(compiler, asModules(withoutNode), { ...bundler, ...inBrowser })).toBe('')
    },
    120_000,
  )

  it.each([...new Set([...compilers, 'typescript-6' as const])])(
    '%s, declarations: what public functions and methods return can be exported without stating its type',
    async (compiler) => {
      const emits = { noEmit: false, emitDeclarationOnly: true, declaration: true, rootDir: '..', outDir: 'out' }

      // Types of other packages are checked with the other programs.
      expect(await compile(compiler, ['inferred.mts'], { ...nodenext, ...onNode, ...emits, skipLibCheck: true })).toBe(
        '',
      )
    },
    120_000,
  )

  it.each(compilers)(
    '%s: a fetch of a program where the type of the global one has more members, as that of Bun has',
    async (compiler) => {
      const files = ['fetch-of-bun.mts', 'fetch-of-bun.cts']

      expect(await compile(compiler, files, { ...nodenext, ...onNode })).toBe('')
    },
    120_000,
  )

  it.each([
    ['nodenext, with lib dom and without the types of Node', { ...nodenext, ...inBrowser }],
    ['bundler, with the types of Workers', { ...bundler, ...onWorkers }],
  ])(
    `${fastest}, %s`,
    async (_, options) => {
      expect(await compile(fastest, asModules(withoutNode), options)).toBe('')
    },
    120_000,
  )

  it.each(compilers)(
    '%s, without lib dom and the types of Node: the docs list the missing types',
    async (compiler) => {
      const page = await readFile(new URL('../../docs/guides/typescript.md', import.meta.url), 'utf8')
      const [, section = ''] = page.split('\n## Requirements\n')
      const [, listed = ''] = section.split('types of web standards')
      const documented = listed
        .slice(0, listed.indexOf('.'))
        .match(/`\w+`/g)
        ?.map((name) => name.slice(1, -1))

      const errors = await compile(compiler, ['own-types.mts'], { ...nodenext, ...onNothing })

      const missing = [...errors.matchAll(/Cannot find name '(\w+)'/g)].map(([, name]) => name)
      expect([...new Set(missing)].sort()).toEqual(documented)
      const others = errors.split('\n').filter((line) => line !== '' && !/Cannot find name/.test(line))
      expect(others).toEqual([])
    },
    120_000,
  )
})
