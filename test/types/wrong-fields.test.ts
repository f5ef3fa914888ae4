import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith } from '../support/programs.ts'
import { type CompilerName, compilerPath, compilers } from './compilers.ts'
import { prelude, type WrongField, wrongFields, wrongValues } from './wrong-fields.ts'

const run = promisify(execFile)
const longestLine = 300

/** An error of the compiler: the place, and the first line of the message. */
interface CompilerError {
  readonly line: number
  readonly column: number
  readonly message: string
}

describeWith(compilers, 'that an error of the compiler names the field that is wrong', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, 60_000)

  afterAll(() => installed.remove())

  /** Compiles one line of code after another. Returns the errors of each. */
  async function compile(compiler: CompilerName, lines: readonly string[]): Promise<CompilerError[][]> {
    const file = `${compiler}.mts`
    const head = prelude.trim().split('\n')
    await writeFile(join(installed.project, file), [...head, ...lines].join('\n'))
    const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--skipLibCheck', '--pretty', 'false']
    const target = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node']
    const { stdout } = await run(process.execPath, [compilerPath(compiler), ...flags, ...target, file], {
      cwd: installed.project,
      maxBuffer: 2 ** 26,
    }).catch((failed: { readonly stdout: string }) => failed)
    const errors = [...stdout.matchAll(/^\S+?\((\d+),(\d+)\): error (.+)$/gm)].map(([, line, column, message]) => ({
      line: Number(line) - head.length,
      column: Number(column),
      message: String(message),
    }))
    expect(errors.filter(({ line }) => line < 1)).toEqual([])
    return lines.map((_, i) => errors.filter(({ line }) => line === i + 1))
  }

  const withField = ({ code, field }: WrongField) => code.replace('…', field)
  const nameOf = ({ field }: WrongField) => /^'?([\w.]+)/.exec(field)?.[1] ?? ''

  it.each(compilers)(
    '%s names a field that a type of params does not have, in one short line',
    async (compiler) => {
      const right = await compile(
        compiler,
        wrongFields.map(({ code }) => code.replace(/, …|…/, '')),
      )
      const wrong = await compile(compiler, wrongFields.map(withField))

      expect(right.flat()).toEqual([])
      const unclear = wrongFields.flatMap((one, i) => {
        const [error, ...others] = wrong[i] ?? []
        const message = error?.message ?? 'compiles'
        const isClear = message.includes(nameOf(one)) && message.length <= longestLine && others.length === 0
        return isClear ? [] : [`${one.title}: ${message}`]
      })
      expect(unclear).toEqual([])
    },
    120_000,
  )

  it.each(compilers)(
    '%s points at a field whose value does not fit, in one short line',
    async (compiler) => {
      const errors = await compile(compiler, wrongValues.map(withField))

      const unclear = wrongValues.flatMap((one, i) => {
        const [error, ...others] = errors[i] ?? []
        const { column, message } = error ?? { column: 0, message: 'compiles' }
        const isClear = column > one.code.indexOf('…') && message.length <= longestLine && others.length === 0
        return isClear ? [] : [`${one.title}: ${message}`]
      })
      expect(unclear).toEqual([])
    },
    120_000,
  )
})
