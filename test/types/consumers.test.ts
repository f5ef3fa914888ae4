import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith } from '../support/programs.ts'
import { type CompilerName, compilerPath, compilers, installedTypes } from './compilers.ts'

const programs = new URL('consumer/', import.meta.url)
const run = promisify(execFile)

/** Programs that use Node or frameworks for Node. */
const forNode = ['images', 'frameworks']

/** CommonJS with TypeScript's own `import = require()`. */
const required = `
  import sdk = require('identity-service-sdk')
  import webhooks = require('identity-service-sdk/webhooks')
  export const client: sdk.VerificationClient = new sdk.VerificationClient()
  export const same: typeof sdk.verifyWebhook = webhooks.verifyWebhook`

describeWith(compilers, 'that programs of consumers compile with TypeScript 5.4, 5.9, 6 and 7', () => {
  let installed: InstalledPackage
  let names: readonly string[]

  beforeAll(async () => {
    installed = await installPackage()
    names = (await readdir(programs)).map((file) => file.replace(/\.ts$/, ''))
    for (const name of names) {
      const source = await readFile(new URL(`${name}.ts`, programs), 'utf8')
      for (const ending of ['mts', 'cts'])
        await writeFile(join(installed.project, `${name}.${ending}`), source)
    }
    await writeFile(join(installed.project, 'required.cts'), required)
  }, 60_000)

  afterAll(() => installed.remove())

  /** Compiles programs, and the declarations that they load. Returns the errors. */
  async function compile(compiler: CompilerName, files: readonly string[], options: object): Promise<string> {
    const folder = await mkdtemp(join(installed.project, `${compiler}-`))
    const config = join(folder, 'tsconfig.json')
    const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true }
    const compilerOptions = { noEmit: true, target: 'es2022', esModuleInterop: true, ...strict, ...options }
    await writeFile(config, JSON.stringify({ compilerOptions, files: files.map((file) => `../${file}`) }))
    return run(process.execPath, [compilerPath(compiler), '-p', config]).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
  }

  const ofKind = (ending: string, without: readonly string[] = []) =>
    names.filter((name) => !without.includes(name)).map((name) => `${name}.${ending}`)
  const onNode = { lib: ['es2022'], types: ['node'] }

  it.each(compilers)(
    '%s, nodenext: ES modules and CommonJS',
    async (compiler) => {
      const files = [...ofKind('mts'), ...ofKind('cts'), 'required.cts']

      expect(await compile(compiler, files, { ...onNode, module: 'nodenext' })).toBe('')
    },
    120_000,
  )

  it.each(compilers)(
    '%s, bundler: ES modules, and CommonJS with require',
    async (compiler) => {
      // Types of frameworks take most of the time, and frameworks are not bundled.
      const files = [...ofKind('mts', ['frameworks']), 'required.cts']
      const options = { ...onNode, module: 'preserve', moduleResolution: 'bundler', skipLibCheck: true }

      expect(await compile(compiler, files, options)).toBe('')
    },
    120_000,
  )

  it.each([
    ['a browser or Deno', { lib: ['es2022', 'dom'], types: [] }],
    ['Workers', { lib: ['es2022'], types: [installedTypes('@cloudflare/workers-types')] }],
  ])(
    '%s: without the types of Node',
    async (_, platform) => {
      const options = { ...platform, module: 'esnext', moduleResolution: 'bundler' }

      expect(await compile('typescript-7', ofKind('mts', forNode), options)).toBe('')
    },
    120_000,
  )
})
