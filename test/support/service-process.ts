import { execFile, execFileSync, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { ServiceName } from './programs.ts'

const run = promisify(execFile)

/** A server of one test or test file, on a free port of the loopback address. Its files are in a temporary folder. */
export interface Service {
  readonly port: number
  readonly url: string
  /** Starts the server again after {@link stop}, on the same port and files. Resolves when it responds. */
  start(): Promise<void>
  /** Stops the server, and waits until its process has ended. `'SIGKILL'` is a crash. The files stay. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /**
   * Sends a signal to the process and its children, such as the backends of Postgres. After `'SIGSTOP'`, the server
   * keeps its connections and does not respond.
   */
  signal(signal: NodeJS.Signals): void
  /** Stops the server and deletes its files. */
  remove(): Promise<void>
}

export interface ServiceProgram {
  readonly command: string
  readonly args: readonly string[]
  readonly port: number
  readonly url: string
  /** Deleted by `remove`. */
  readonly folder: string
  /** The user of the process. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  /** Rejects until the server responds. */
  ready(): Promise<unknown>
}

const longestStartMs = 30_000

/** Runs a server in the foreground, as a child process that ends with this process. */
export async function startService(program: ServiceProgram): Promise<Service> {
  let running: { readonly exited: Promise<void>; readonly pid: number; kill(signal: NodeJS.Signals): void } | undefined

  const launch = () => {
    let log = ''
    const { command, args, folder, user } = program
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], ...user })
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk) => {
        log = `${log}${chunk}`.slice(-2000)
      })
    }
    const stopWatching = child.pid === undefined ? () => {} : endWithThisProcess(child.pid, folder)
    let ended = false
    const exited = new Promise<void>((resolve) => {
      const end = () => {
        ended = true
        stopWatching()
        resolve()
      }
      child.once('exit', end)
      child.once('error', (error) => {
        log += error.message
        end()
      })
    })
    running = { exited, pid: child.pid ?? 0, kill: (signal) => child.kill(signal) }
    return { isOver: () => ended, log: () => log }
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
          throw new Error(`${program.command} does not respond: ${child.log()}`, { cause: failure })
        }
        await sleep(20)
        // After a crash, the helpers of the server may keep the files locked for a moment.
        if (child.isOver()) child = launch()
      }
    },
    async stop(signal = 'SIGTERM') {
      running?.kill(signal)
      await running?.exited
      running = undefined
    },
    signal(signal) {
      running?.kill(signal)
      for (const pid of childrenOf(running?.pid)) signalIfRunning(pid, signal)
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
 * Stops a server and deletes its files when this process ends for any reason, because a worker that hangs is killed
 * without an event.
 *
 * @returns a function that ends the watch after the server has ended
 */
function endWithThisProcess(pid: number, folder: string): () => void {
  // The input of the watch ends with this process.
  const watch = spawn('sh', ['-c', 'read _; kill -9 "$0"; sleep 1; rm -rf "$1"', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watch.unref()
  if (watch.stdin instanceof Socket) watch.stdin.unref()
  return () => watch.kill('SIGKILL')
}

function childrenOf(parent: number | undefined): number[] {
  const processes = execFileSync('ps', ['-A', '-o', 'pid=,ppid=']).toString().trim().split('\n')
  const ids = processes.map((line) => line.trim().split(/\s+/).map(Number))
  return ids.filter(([, of]) => of === parent).map(([pid = 0]) => pid)
}

function signalIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended since it was listed.
  }
}

/** Some servers do not run as root. For root, this returns the user that the package of the server has created. */
export async function unprivileged(name: string): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (which: string) => Number((await run('id', [which, name])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

/** Creates a folder for the files of one service. */
export const serviceFolder = (name: ServiceName): Promise<string> => mkdtemp(join(tmpdir(), `${name}-`))
