import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { Server } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type EmulatorServer,
} from '../../src/emulator.ts'
import { freePort } from './free-port.ts'
import { type InstalledPackage, installPackage } from './installed-package.ts'
import { type CodeBlock, readPage } from './markdown.ts'

const root = new URL('../../', import.meta.url)

type Modules = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** What surrounds a block while it runs. */
interface RunOptions {
  /** Variables besides those that lead to the emulator. */
  readonly env?: Readonly<Record<string, string>>
  /** Modules of the reader that the block imports: what each exports, by specifier. */
  readonly modules?: Modules
}

/** The code of one page, run with the packed and installed package against an emulator that listens. */
interface DocumentedCode {
  readonly emulator: Emulator
  /** What the emulator listens at, from `beforeAll` on. */
  readonly service: EmulatorServer
  /** The project in which blocks run, from `beforeAll` on. */
  readonly installed: InstalledPackage
  /** The variables that lead a program to the emulator. */
  environment(more?: Readonly<Record<string, string>>): Record<string, string>
  /** The source of a block, named by its heading; of several, one after the other. */
  code(...names: string[]): string
  /**
   * Runs a block as a module, in the process of the test.
   *
   * @param names its heading; of several, the blocks in a row, as one program
   * @returns what it printed
   */
  run(names: string | readonly string[], around?: RunOptions): Promise<string>
  /** The same in a process of its own: for what changes the process, such as MSW. */
  runAlone(name: string, env?: Readonly<Record<string, string>>): Promise<string>
  /**
   * Runs a block that listens at `PORT`, for as long as the visit takes.
   *
   * @returns what it printed
   */
  whileServing(
    names: string | readonly string[],
    visit: (port: number) => Promise<void>,
    around?: RunOptions,
  ): Promise<string>
  /** Loads a block that is called by others, such as a route handler. @returns what it exports */
  load<Exports>(names: string | readonly string[], around?: RunOptions): Promise<Exports>
  /** A session of the emulator. @returns its id */
  aSession(callback?: string): Promise<string>
  /** Leaves a block to the test of another project, which needs more than this one has. */
  testedElsewhere(name: string, file: string): void
}

interface DocumentedOptions {
  readonly emulator?: EmulatorOptions
  /** Whether all blocks are taken here; false where others are left to another file. @default true */
  readonly runsAllBlocks?: boolean
}

/**
 * Makes the blocks `js` and `ts` of a page ready for the tests of one file. A block that no test took fails the file.
 *
 * @param path of the page, from the root of the repository
 */
export function documentedCode(path: string, options: DocumentedOptions = {}): DocumentedCode {
  const { blocks } = readPage(readFileSync(new URL(path, root), 'utf8'))
  const left = new Map(blocks.filter(({ language }) => isCode(language)).map((block) => [block.name, block]))
  const all = new Map(left)
  const emulator = createEmulator(options.emulator)
  let service: EmulatorServer
  let installed: InstalledPackage
  let files = 0

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
    // Where tests were chosen by name, the others took nothing.
    const chosen = inFile.some(({ mode }) => mode === 'skip')
    if (left.size > 0 && !chosen && options.runsAllBlocks !== false)
      throw new Error(`no test runs ${[...left.keys()].join(', ')} of ${path}`)
  })

  function block(name: string): CodeBlock {
    const found = all.get(name)
    if (found === undefined) throw new Error(`${path} has no code under "${name}"`)
    left.delete(name)
    return found
  }

  const environment = (more: Readonly<Record<string, string>> = {}) => ({
    SVC_BASE_URL: service.url,
    SVC_API_KEY: emulator.options.verification.apiKey,
    SVC_ORG_BASE_URL: service.url,
    SVC_CLIENT_ID: emulator.options.oidc.clientId,
    SVC_CLIENT_SECRET: emulator.options.oidc.clientSecret,
    SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
    WEBHOOK_SECRET: emulator.webhooks.secret,
    COOKIE_SECRET: 'a secret of thirty-two characters',
    TOKEN_KEY: Buffer.alloc(32, 'key').toString('base64url'),
    ...more,
  })

  /** Writes blocks as one module. */
  async function written(names: readonly string[], modules: Modules | undefined): Promise<string> {
    const taken = names.map(block)
    const contents = taken.map(({ source }) => source).join('\n')
    const isTyped = taken.some(({ language }) => language === 'ts')
    const file = join(installed.project, `block-${++files}.mjs`)
    if (!isTyped && modules === undefined) await writeFile(file, contents)
    else await bundle(contents, file, modules ?? {})
    return pathToFileURL(file).href
  }

  /** Loads blocks and does the work around them, with the environment, the servers and the words of this run only. */
  async function running<T>(
    names: string | readonly string[],
    { env = {}, modules }: RunOptions,
    work: (exports: unknown) => Promise<T> | T,
  ): Promise<{ printed: string; result: T }> {
    const url = await written([names].flat(), modules)
    const before = { ...process.env }
    const listen = vi.spyOn(Server.prototype, 'listen')
    const lines: string[] = []
    const hear = (...things: unknown[]) => void lines.push(`${format(...things)}\n`)
    const heard = (['log', 'info', 'warn', 'error'] as const).map((method) =>
      vi.spyOn(console, method).mockImplementation(hear),
    )
    Object.assign(process.env, environment(env))
    try {
      const exports: unknown = await import(/* @vite-ignore */ url)
      for (const server of serversOf(listen)) if (!server.listening) await once(server, 'listening')
      const result = await work(exports)
      return { printed: lines.join(''), result }
    } finally {
      for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
      Object.assign(process.env, before)
      await Promise.all(serversOf(listen).map(closed))
      for (const spy of [...heard, listen]) spy.mockRestore()
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
    run: async (names, around = {}) => (await running(names, around, () => undefined)).printed,
    runAlone: (name, env) => installed.run(`block-${++files}.mjs`, block(name).source, environment(env)),
    async whileServing(names, visit, around = {}) {
      const port = await freePort()
      const env = { ...around.env, PORT: String(port) }
      return (await running(names, { ...around, env }, () => visit(port))).printed
    },
    load: async <Exports>(names: string | readonly string[], around: RunOptions = {}) =>
      (await running(names, around, (exports) => exports as Exports)).result,
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
      if (!source.includes(`documented('${path}'`) || !source.includes(`'${name}'`))
        throw new Error(`${file} does not run "${name}" of ${path}`)
      block(name)
    },
  }
}

/** Whether a block of this language is run. */
export const isCode = (language: string) => /^(?:js|ts)\b/.test(language)

const serversOf = (listen: { mock: { contexts: unknown[] } }) =>
  [...new Set(listen.mock.contexts)] as Server[]

async function closed(server: Server): Promise<void> {
  if (!server.listening) return
  if ('closeAllConnections' in server) (server.closeAllConnections as () => void)()
  server.close()
  await once(server, 'close')
}

/** Where the modules of readers are found by what was bundled. */
const readersModules = Symbol.for('modules of readers')

/** One file of a program and the reader's own modules; packages stay where they are. */
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
