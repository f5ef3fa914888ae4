import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describeUnless } from '../support/programs.ts'

/** A running example. */
export interface Program {
  readonly pid: number
  /** Returns the output so far. */
  output(): string
  /** Resolves when the output matches. Rejects, with the output, if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpMatchArray>
  /**
   * Sends a signal and waits for the exit.
   *
   * @param group sends it to the whole process group, like a terminal
   * @returns the exit code
   */
  end(signal: NodeJS.Signals, group?: 'group'): Promise<number | null>
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>
}

/** @param path relative to `examples/` */
export const examplePath = (path: string) => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url))

/** Far longer than any output takes. */
const outputTimeoutMs = 60_000

/** Like `describe`, for examples with their own packages, which `npm ci --prefix examples/…` installs. */
export function describeInstalled(folders: string | readonly string[], tests: () => void): void {
  const names = [folders].flat().map((folder) => `examples/${folder}`)
  const missing = [folders].flat().filter((folder) => !existsSync(examplePath(`${folder}/node_modules`)))
  describeUnless(
    missing.map((folder) => `packages of examples/${folder}`),
    `that ${names.join(' and ')} ${names.length === 1 ? 'works' : 'work'}`,
    tests,
  )
}

const running = new Set<ChildProcess>()

/** Kills programs that a failed test left running. */
export function endPrograms(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

/** Runs a program in its own process group, with the given environment only. */
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
      const timeout = AbortSignal.timeout(outputTimeoutMs)
      for (;;) {
        const match = pattern.exec(output)
        if (match) return match
        const what = isOver ? 'ended without' : timeout.aborted ? 'timed out without' : undefined
        if (what) throw new Error(`${command} ${args.join(' ')} ${what} ${pattern}:\n${output}`)
        await once(child, 'printed', { signal: timeout }).catch(() => {})
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
    // The process has already exited.
  }
}
