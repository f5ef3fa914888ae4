import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { build, transform } from 'esbuild'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { createEmulator, type Emulator, type EmulatorOptions, type EmulatorServer } from '../../src/emulator.ts'
import { freePort } from './free-port.ts'
import { type InstalledPackage, installPackage } from './installed-package.ts'
import { type CodeBlock, readPage } from './markdown.ts'

const root = new URL('../../', import.meta.url)

type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What a block needs while it runs. */
interface RunOptions {
  /** Environment variables in addition to those of the emulator. */
  readonly env?: Readonly<Record<string, string>>
  /** Modules of the reader that the block imports: the exports of each, by specifier. */
  readonly modules?: Modules
}

/** Runs the code of one page with the installed package, against a listening emulator. */
interface DocumentedCode {
  readonly emulator: Emulator
  /** The server of the emulator. Available from `beforeAll` on. */
  readonly service: EmulatorServer
  /** The project in which blocks run, and which contains the files that they read. Available from `beforeAll` on. */
  readonly installed: InstalledPackage
  /** The environment variables of a program that uses the emulator. */
  environment(more?: Readonly<Record<string, string>>): Record<string, string>
  /** The source of a block with this heading. The sources of several blocks are joined. */
  code(...names: string[]): string
  /** The source of a block as JavaScript. */
  script(name: string): Promise<string>
  /**
   * Runs a block as a module in the process of the test.
   *
   * @param names the heading of the block. Several blocks are joined to one program
   * @returns its output
   */
  run(names: string | readonly string[], around?: RunOptions): Promise<string>
  /** Runs a block in its own process, because it changes the process, as MSW does. @returns its output */
  runAlone(name: string, env?: Readonly<Record<string, string>>): Promise<string>
  /**
   * Runs a block that listens on `PORT`, until the visit is over.
   *
   * @returns its output
   */
  whileServing(
    names: string | readonly string[],
    visit: (port: number) => Promise<void>,
    around?: RunOptions,
  ): Promise<string>
  /** Loads a block that other code calls, for example a route handler. @returns its exports */
  load<Exports>(names: string | readonly string[], around?: RunOptions): Promise<Exports>
  /** Creates a session in the emulator. @returns its id */
  aSession(callback?: string): Promise<string>
  /** Records that the test in another file runs a block, because the block needs more than this test has. */
  testedElsewhere(name: string, file: string): void
}

interface DocumentedOptions {
  readonly emulator?: EmulatorOptions
  /** False if another file runs the other blocks of the page. @default true */
  readonly runsAllBlocks?: boolean
}

/**
 * Prepares the `js` and `ts` blocks of a page for the tests of one file. The file fails if no test runs a block.
 *
 * @param path path of the page, from the root of the repository
 */
export function documentedCode(path: string, options: DocumentedOptions = {}): DocumentedCode {
  const { blocks } = readPage(readFileSync(new URL(path, root), 'utf8'))
  const unused = new Map(blocks.filter(({ language }) => isCode(language)).map((block) => [block.name, block]))
  const all = new Map(unused)
  const emulator = createEmulator(options.emulator)
  let service: EmulatorServer
  let installed: InstalledPackage
  let files = 0
  let loaded: Promise<unknown> = Promise.resolve()

  beforeAll(async () => {
    installed = await installPackage()
    service = await emulator.listen()
  }, 60_000)

  let inFile: readonly { mode: string }[] = []
  beforeEach(({ task }) => {
    inFile = task.file.tasks
  })

  afterAll(async () => {
    await service.close()
    await installed.remove()
    // If tests were selected by name, the other tests have not run.
    const isFiltered = inFile.some(({ mode }) => mode === 'skip')
    if (unused.size > 0 && !isFiltered && options.runsAllBlocks !== false)
      throw new Error(`no test runs ${[...unused.keys()].join(', ')} of ${path}`)
  })

  function block(name: string): CodeBlock {
    const found = all.get(name)
    if (found === undefined) throw new Error(`${path} has no code with the heading "${name}"`)
    unused.delete(name)
    return found
  }

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    SVC_BASE_URL: service.url,
    SVC_API_KEY: emulator.options.verification.apiKey,
    SVC_ORG_BASE_URL: service.url,
    SVC_CLIENT_ID: emulator.options.oidc.clientId,
    SVC_CLIENT_SECRET: emulator.options.oidc.clientSecret,
    SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
    SVC_COOKIE_SECRET: 'a secret of thirty-two characters',
    TOKEN_KEY: Buffer.alloc(32, 'key').toString('base64url'),
    ...more,
  })

  async function script(name: string): Promise<string> {
    const { code } = await transform(block(name).source, { loader: 'ts' })
    return code
  }

  /** Writes blocks as one module. @returns its URL */
  async function writeModule(names: readonly string[], modules: Modules | undefined): Promise<string> {
    const selected = names.map(block)
    const contents = selected.map(({ source }) => source).join('\n')
    const isTyped = selected.some(({ language }) => language === 'ts')
    const file = join(installed.project, `block-${++files}.mjs`)
    if (!isTyped && modules === undefined) await writeFile(file, contents)
    else await bundle(contents, file, modules ?? {})
    return pathToFileURL(file).href
  }

  /** Loads blocks and does some work. Restores the environment, and closes the servers that the blocks have started. */
  async function runBlocks<T>(
    names: string | readonly string[],
    { env = {}, modules }: RunOptions,
    work: (exports: unknown) => Promise<T> | T,
  ): Promise<{ printed: string; result: T }> {
    const url = await writeModule([names].flat(), modules)
    const before = { ...process.env }
    const listen = vi.spyOn(Server.prototype, 'listen')
    const lines: string[] = []
    const record = (...values: unknown[]) => void lines.push(`${format(...values)}\n`)
    const consoleSpies = (['log', 'info', 'warn', 'error'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(record),
    )
    const folder = process.cwd()
    Object.assign(process.env, environment(env))
    process.chdir(installed.project)
    try {
      const exports: unknown = await import(/* @vite-ignore */ url)
      for (const server of serversOf(listen)) if (!server.listening) await once(server, 'listening')
      const result = await work(exports)
      return { printed: lines.join(''), result }
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
      process.chdir(folder)
      await Promise.all(serversOf(listen).map(closeServer))
      for (const spy of [...consoleSpies, listen]) spy.mockRestore()
    }
  }

  return {
    emulator,
    get service() {
      return service
    },
    get installed() {
      return installed
    },
    environment,
    code: (...names) => names.map((name) => block(name).source).join('\n'),
    run: async (names, around = {}) => (await runBlocks(names, around, () => undefined)).printed,
    script,
    runAlone: async (name, env) => installed.run(`block-${++files}.mjs`, await script(name), environment(env)),
    async whileServing(names, visit, around = {}) {
      const port = await freePort()
      const env = { ...around.env, PORT: String(port) }
      return (await runBlocks(names, { ...around, env }, () => visit(port))).printed
    },
    // One after another: each sets the environment of this process while it loads, and then restores it.
    load<Exports>(names: string | readonly string[], around: RunOptions = {}) {
      const next = loaded.then(() => runBlocks(names, around, (exports) => exports as Exports))
      loaded = next.catch(() => {})
      return next.then(({ result }) => result)
    },
    async aSession(callback) {
      const response = await fetch(`${service.url}/api/v2/session`, {
        method: 'POST',
        headers: { 'x-api-key': emulator.options.verification.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ workflow_id: 'wf_identity', vendor_data: 'user-42', callback }),
      })
      const { data } = (await response.json()) as { data: { session_id: string } }
      return data.session_id
    },
    testedElsewhere(name, file) {
      const source = readFileSync(new URL(file, root), 'utf8')
      if (!source.includes(`documentedCode('${path}'`) || !source.includes(`'${name}'`))
        throw new Error(`${file} does not run "${name}" of ${path}`)
      block(name)
    },
  }
}

/** True if blocks of this language are run. */
export const isCode = (language: string) => /^(?:js|ts)\b/.test(language)

const serversOf = (listen: { mock: { contexts: unknown[] } }) => [...new Set(listen.mock.contexts)] as Server[]

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  server.close()
  await once(server, 'close')
}

/** Key of the global under which bundled code finds the modules of readers. */
const readersModules = Symbol.for('modules of readers')

/** Bundles a program with the reader's own modules. Packages stay external. */
async function bundle(contents: string, outfile: string, modules: Modules) {
  Object.assign(globalThis, { [readersModules]: { ...Reflect.get(globalThis, readersModules), ...modules } })
  const sourceOf = (path: string) =>
    Object.keys(modules[path] ?? {})
      .map((name) => [name, `globalThis[Symbol.for('${readersModules.description}')]['${path}'].${name}`])
      .map(([name, value]) => `export const ${name} = ${value}`)
      .join('\n')
  await build({
    stdin: { contents, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
    plugins: [
      {
        name: 'modules of readers',
        setup({ onResolve, onLoad }) {
          onResolve({ filter: /./ }, ({ path }) =>
            path in modules ? { path, namespace: 'readers' } : { path, external: true },
          )
          onLoad({ filter: /./, namespace: 'readers' }, ({ path }) => ({ contents: sourceOf(path) }))
        },
      },
    ],
  })
}
