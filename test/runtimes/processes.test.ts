import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWith } from '../support/programs.ts'
import type { RuntimeName } from './binaries.ts'
import { type Run, runProgram } from './process.ts'
import { only, type Platform, rulesFor } from './rules.ts'
import { createTestProject, type TestProject } from './test-project.ts'

interface Runtime extends Platform {
  readonly name: string
  readonly program: RuntimeName
  /** The arguments before the file. */
  readonly args: readonly string[]
}

const node = (program: RuntimeName, name: string, userAgent: RegExp): Runtime => ({
  name,
  program,
  args: [],
  userAgent,
  transport: 'undici',
  hasFiles: true,
  reportsRefusedConnections: true,
  sendsLengthOfStreams: true,
})

const runtimes: readonly Runtime[] = [
  node('node-20', 'Node 20.19', /^Node\.js\/20\.19\./),
  node('node-22', 'Node 22', /^Node\.js\/22$/),
  node('node-24', 'Node 24', /^Node\.js\/24$/),
  node('node-26', 'Node 26', /^Node\.js\/26$/),
  { ...node('bun', 'Bun', /^Bun\/1\./), transport: 'fetch' },
  {
    ...node('deno', 'Deno', /^Deno\/2\./),
    // Only the network, and reading the files of the program and the package, and an image.
    args: ['run', '--no-prompt', '--allow-net=127.0.0.1', '--allow-read'],
    transport: 'fetch',
    sendsLengthOfStreams: false,
  },
]

const forms = [
  ['main.mjs', 'as ES modules'],
  ['main.cjs', 'as CommonJS'],
] as const

let project: TestProject

beforeAll(async () => {
  project = await createTestProject()
}, 60_000)

afterAll(() => project.remove())

for (const runtime of runtimes) {
  for (const [file, form] of forms) {
    const { program, name, args } = runtime
    describeWith(program, `that the package works on ${name}, ${form}`, () => {
      let run: Run

      beforeAll(async () => {
        run = await runProgram(project, program, [...args, file])
      }, 60_000)

      it.each(rulesFor(runtime))('%s', (_, expected) => {
        expect(only(expected, run.report)).toEqual(expected)
      })

      it('the process ends by itself, and the package prints nothing', () => {
        expect({ ended: run.ended, noise: run.noise }).toEqual({ ended: true, noise: '' })
      })
    })
  }
}
