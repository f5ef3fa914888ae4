import { spawn } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { isRuntime, type RuntimeName, runtimePath } from '../runtimes/binaries.ts'
import { type CompilerName, compilerPath, isCompiler } from '../types/compilers.ts'

export type ServiceName = 'redis-server' | 'postgres' | 'nginx' | 'chromium'

/** A server of a test's own, on a free port of the loopback address, with its files in a temporary folder. */
export interface Service {
  readonly port: number
  readonly url: string
  /** Starts it again after {@link stop}: same port, same files. Resolves once it answers. */
  start(): Promise<void>
  /** Ends it and waits until it is gone. `'SIGKILL'` is a crash. Its files stay. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Ends it and deletes its files. */
  remove(): Promise<void>
}

type ProgramName = ServiceName | RuntimeName | CompilerName

/** Where the program is, or `undefined` when this machine has none. */
const binaryOf = (program: ProgramName): string | undefined =>
  placesOf(program).find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })

function placesOf(program: ProgramName): string[] {
  if (isRuntime(program)) return [runtimePath(program)]
  if (isCompiler(program)) return [compilerPath(program)]
  return foldersOf(program).flatMap((folder) => namesOf(program).map((name) => join(folder, name)))
}

/** Distributions call some programs by different names. */
const namesOf = (service: ServiceName) =>
  service === 'chromium' ? ['chromium', 'chromium-browser', 'google-chrome'] : [service]

function foldersOf(service: ServiceName): string[] {
  const path = (process.env.PATH ?? '').split(delimiter)
  if (service !== 'postgres') return [...path, '/usr/sbin', '/usr/local/sbin']
  // Debian keeps each version in a folder of its own, outside the path.
  const home = '/usr/lib/postgresql'
  try {
    const versions = readdirSync(home).sort((a, b) => Number(b) - Number(a))
    return [...versions.map((version) => join(home, version, 'bin')), ...path]
  } catch {
    return path
  }
}

/**
 * A `describe` whose tests need real services or other runtimes. Where one is missing they are skipped with one line
 * that says so; under `CI=true` they fail instead.
 *
 * @param shows what the tests would have shown, as in 'that the Redis store keeps the rules of stores'
 */
export function describeWith(
  programs: ProgramName | readonly ProgramName[],
  shows: string,
  tests: () => void,
): void {
  describeUnless(
    [programs].flat().filter((program) => binaryOf(program) === undefined),
    shows,
    tests,
  )
}

/**
 * The same for anything else that tests may need.
 *
 * @param missing what of it is not there
 */
export function describeUnless(missing: readonly string[], shows: string, tests: () => void): void {
  if (missing.length === 0) {
    describe(shows, tests)
    return
  }
  const reason = `${missing.join(' and ')} not installed, so nothing here shows ${shows}`
  if (process.env.CI === 'true') {
    it(shows, () => {
      throw new Error(reason)
    })
    return
  }
  process.stderr.write(`skipped: ${reason}\n`)
  describe.skip(shows, tests)
}

export interface ServiceProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly port: number
  readonly url: string
  /** Deleted by `remove`. */
  readonly folder: string
  /** The user that it runs as. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** Rejects until the server answers as it should. */
  ready(): Promise<unknown>
}

const longestStartMs = 30_000

/** Runs a server in the foreground, as a child that does not outlive this process. */
export async function startService(program: ServiceProgram): Promise<Service> {
  let running: { readonly exited: Promise<void>; kill(signal: NodeJS.Signals): void } | undefined

  const launch = () => {
    let log = ''
    const { command, args, folder, user } = program
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...user })
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk) => {
        log = `${log}${chunk}`.slice(-2000)
      })
    }
    const dropWatch = child.pid === undefined ? () => {} : endWithUs(child.pid, folder)
    let over = false
    const exited = new Promise<void>((resolve) => {
      const end = () => {
        over = true
        dropWatch()
        resolve()
      }
      child.once('exit', end)
      child.once('error', (error) => {
        log += error.message
        end()
      })
    })
    running = { exited, kill: (signal) => child.kill(signal) }
    return { isOver: () => over, log: () => log }
  }

  const service: Service = {
    port: program.port,
    url: program.url,
    async start() {
      const deadline = Date.now() + longestStartMs
      let child = launch()
      for (;;) {
        const failure = await program.ready().then(
          () => undefined,
          (error: unknown) => error,
        )
        if (failure === undefined && !child.isOver()) return
        if (Date.now() > deadline) {
          await service.stop('SIGKILL')
          throw new Error(`${program.command} does not answer: ${child.log()}`, { cause: failure })
        }
        await sleep(20)
        // After a crash its helpers may hold the files for a moment longer.
        if (child.isOver()) child = launch()
      }
    },
    async stop(signal = 'SIGTERM') {
      running?.kill(signal)
      await running?.exited
      running = undefined
    },
    async remove() {
      await service.stop('SIGKILL')
      await rm(program.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    },
  }
  await service.start()
  return service
}

/**
 * Ends a server and deletes its files when this process is gone, however it ended: a worker that hangs is killed,
 * and hears no event of that.
 *
 * @returns ends the watch, once the server is over
 */
function endWithUs(pid: number, folder: string): () => void {
  // Its input ends when this process does.
  const watch = spawn('sh', ['-c', 'read _; kill -9 "$0"; sleep 1; rm -rf "$1"', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.unref()
  if (watch.stdin instanceof Socket) watch.stdin.unref()
  return () => watch.kill('SIGKILL')
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** A folder for the files of one service. */
export const serviceFolder = (name: ServiceName): Promise<string> => mkdtemp(join(tmpdir(), `${name}-`))

/** The path of a program that {@link describeWith} has found. */
export function requireBinary(program: ProgramName): string {
  const path = binaryOf(program)
  if (path === undefined) throw new Error(`${program} is not installed`)
  return path
}
