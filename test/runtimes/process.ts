import { execFile } from 'node:child_process'
import { requireBinary } from '../support/programs.ts'
import type { RuntimeName } from './binaries.ts'
import type { Seen } from './rules.ts'
import type { World } from './world.ts'

/** What became of the program as a process of its own. */
export interface Run {
  readonly seen: Seen
  /** Whether it ended by itself, and well. */
  readonly ended: boolean
  /** Where it printed anything else. */
  readonly noise: string
}

/** Far longer than it takes; a process that is still there then would stay for good. */
const patienceMs = 45_000

/** Runs the program on a runtime, with the arguments that the runtime needs before a file. */
export function runProgram(
  { project, settings }: World,
  runtime: RuntimeName,
  args: readonly string[],
): Promise<Run> {
  const options = { cwd: project, timeout: patienceMs, killSignal: 'SIGKILL' } as const
  const { NODE_OPTIONS: _, SVC_TRANSPORT: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(
      requireBinary(runtime),
      [...args, JSON.stringify(settings)],
      { ...options, env: { ...env, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        const [line = '', ...rest] = stdout.split('\n')
        const seen = line.startsWith('{') ? JSON.parse(line) : { printed: line }
        resolve({ seen, ended: error === null, noise: rest.join('\n') + stderr })
      },
    )
  })
}
