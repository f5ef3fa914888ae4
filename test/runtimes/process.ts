import { execFile } from 'node:child_process'
import { requireBinary } from '../support/programs.ts'
import type { RuntimeName } from './binaries.ts'
import type { Report } from './rules.ts'
import type { TestProject } from './test-project.ts'

/** The result of running the program in its own process. */
export interface Run {
  readonly report: Report
  /** Whether the process ended by itself, with exit code 0. */
  readonly ended: boolean
  /** Everything that was printed except the report. */
  readonly noise: string
}

/** Much longer than a run takes. A process that still runs then would never end. */
const maxRunMs = 45_000

/**
 * Runs the program on a runtime.
 *
 * @param args the arguments of the runtime, followed by the file
 */
export function runProgram(
  { folder, settings }: TestProject,
  runtime: RuntimeName,
  args: readonly string[],
): Promise<Run> {
  const options = { cwd: folder, timeout: maxRunMs, killSignal: 'SIGKILL' } as const
  const { NODE_OPTIONS: _, SVC_TRANSPORT: __, ...env } = process.env
  return new Promise((resolve) => {
    execFile(
      requireBinary(runtime),
      [...args, JSON.stringify(settings)],
      { ...options, env: { ...env, NO_COLOR: '1' } },
      (error, stdout, stderr) => {
        const [line = '', ...rest] = stdout.split('\n')
        const report = line.startsWith('{') ? JSON.parse(line) : { printed: line }
        resolve({ report, ended: error === null, noise: rest.join('\n') + stderr })
      },
    )
  })
}
