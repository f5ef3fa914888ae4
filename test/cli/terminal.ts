import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { CliContext, InterruptSignal } from '../../src/cli/shell.ts'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'

export interface CliOptions extends Partial<Pick<CliContext, 'env' | 'fetch' | 'now'>> {
  /** The content of stdin. */
  readonly stdin?: string | Uint8Array
  /** Which of the streams are terminals. */
  readonly terminals?: readonly ('stdin' | 'stdout' | 'stderr')[]
}

/** A command that is running. */
export interface RunningCli {
  readonly stdout: string
  readonly stderr: string
  /** The number of listeners for Ctrl-C. */
  readonly interruptListeners: number
  interrupt(signal?: InterruptSignal): void
  /** Calls what was to be called at an interval of this many milliseconds. */
  tick(ms: number): void
  readonly status: Promise<number>
}

/** Starts a command. A string is split at spaces. */
export function startCli(command: string | readonly string[], options: CliOptions = {}): RunningCli {
  const { env = {}, stdin = '', terminals = [], fetch, now = () => new Date() } = options
  const written = { stdout: '', stderr: '' }
  const listeners = new Set<(signal: InterruptSignal) => void>()
  const timers = new Set<{ readonly ms: number; readonly act: () => void }>()
  const stream = (name: 'stdout' | 'stderr') => ({
    isTTY: terminals.includes(name),
    write: (text: string) => {
      written[name] += text
    },
  })
  async function* readStdin() {
    yield stdin
  }
  const args = typeof command === 'string' ? command.split(' ') : command
  const status = run(args, {
    env,
    stdin: Object.assign(readStdin(), { isTTY: terminals.includes('stdin') }),
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    onInterrupt(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    every(ms, act) {
      const timer = { ms, act }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    now,
    fetch,
  })
  return {
    status,
    get stdout() {
      return written.stdout
    },
    get stderr() {
      return written.stderr
    },
    get interruptListeners() {
      return listeners.size
    },
    interrupt(signal = 'SIGINT') {
      for (const listener of listeners) listener(signal)
    },
    tick(ms) {
      for (const timer of timers) if (timer.ms <= ms) timer.act()
    },
  }
}

/** Runs a command to its end. */
export async function runCli(command: string | readonly string[], options?: CliOptions) {
  const running = startCli(command, options)
  const status = await running.status
  return { status, stdout: running.stdout, stderr: running.stderr }
}

/** Returns an emulator, and the settings and the `fetch` that lead to it. */
export function emulated(options: EmulatorOptions = {}) {
  const emulator = createEmulator({ seed: 'cli', ...options })
  const { verification, org } = emulator.options
  const env = {
    SVC_BASE_URL: verification.baseUrl,
    SVC_ORG_BASE_URL: org.baseUrl,
    SVC_API_KEY: verification.apiKey,
    SVC_CLIENT_ID: org.clientId,
    SVC_CLIENT_SECRET: org.clientSecret,
    SVC_WEBHOOK_SECRET: emulator.webhooks.secret,
  }
  return { emulator, env, fetch: org.fetch }
}

/** Creates a folder that is deleted when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
