import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeUnless } from '../support/services.ts'

/** A process of an example. */
export interface Program {
  readonly pid: number
  /** What it has printed so far. */
  output(): string
  /** Resolves once it has printed this. Rejects, with what it printed, where it ends before. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>
  /** Signals it, or with `group` all of its group as a terminal does, and waits for its end. @returns its exit code */
  end(signal: NodeJS.Signals, group?: 'group'): Promise<number | null>
  /** Resolves with its exit code. */
  readonly ended: Promise<number | null>
}

/** @param path from `examples/` */
export const examplePath = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))

/** Far longer than any line takes to come. */
const patienceMs = 60_000

/** A `describe` of an example that has packages of its own, which `npm ci --prefix examples/…` installs. */
export function describeInstalled(folder: string, tests: () => void): void {
  const isInstalled = existsSync(examplePath(`${folder}/node_modules`))
  describeUnless(
    isInstalled ? [] : [`packages of examples/${folder}`],
    `that examples/${folder} works`,
    tests,
  )
}

const running = new Set<ChildProcess>()

/** Ends what a failed test has left behind. */
export function endPrograms(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

/** Runs a program in a group of its own, with settings of its own and none of the test's. */
export function startProgram(
  folder: string,
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Program {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(command === 'node' ? process.execPath : command, args, {
    cwd: examplePath(folder),
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      child.emit('printed')
    })
  }
  let isOver = false
  const ended = once(child, 'close').then(([code]) => {
    isOver = true
    running.delete(child)
    child.emit('printed')
    return code as number | null
  })
  return {
    pid: child.pid ?? 0,
    output: () => output,
    async printed(pattern) {
      const patience = AbortSignal.timeout(patienceMs)
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        const what = isOver ? 'ended without' : patience.aborted ? 'is late with' : undefined
        if (what) throw new Error(`${command} ${args.join(' ')} ${what} ${pattern}:\n${output}`)
        await once(child, 'printed', { signal: patience }).catch(() => {})
      }
    },
    end(signal, group) {
      if (group) signalGroup(child, signal)
      else child.kill(signal)
      return ended
    },
    ended,
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // It is gone already.
  }
}
