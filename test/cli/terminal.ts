import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { Surroundings } from '../../src/cli/shell.ts'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'

export interface Situation extends Partial<Pick<Surroundings, 'env' | 'fetch' | 'now'>> {
  /** What is piped in. */
  readonly stdin?: string | Uint8Array
  /** Which of the two are terminals. */
  readonly terminals?: readonly ('stdout' | 'stderr')[]
}

/** A command under way. */
export interface Running {
  readonly stdout: string
  readonly stderr: string
  /** How many wait for Ctrl-C. */
  readonly listening: number
  interrupt(): void
  readonly status: Promise<number>
}

/** Starts a command as it would be typed, with words apart at spaces. */
export function start(command: string | readonly string[], situation: Situation = {}): Running {
  const { env = {}, stdin = '', terminals = [], fetch, now = () => new Date() } = situation
  const said = { stdout: '', stderr: '' }
  const listeners = new Set<() => void>()
  const screen = (name: 'stdout' | 'stderr') => ({
    isTTY: terminals.includes(name),
    write: (text: string) => {
      said[name] += text
    },
  })
  async function* piped() {
    yield stdin
  }
  const args = typeof command === 'string' ? command.split(' ') : command
  const status = run(args, {
    env,
    stdin: piped(),
    stdout: screen('stdout'),
    stderr: screen('stderr'),
    onInterrupt(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    now,
    fetch,
  })
  return {
    status,
    get stdout() {
      return said.stdout
    },
    get stderr() {
      return said.stderr
    },
    get listening() {
      return listeners.size
    },
    interrupt() {
      for (const listener of listeners) listener()
    },
  }
}

/** Runs a command to its end. */
export async function type(command: string | readonly string[], situation?: Situation) {
  const running = start(command, situation)
  const status = await running.status
  return { status, stdout: running.stdout, stderr: running.stderr }
}

/** An emulator in-process, with the settings and the `fetch` that lead to it. */
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

/** A folder that is gone when the test ends. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}
