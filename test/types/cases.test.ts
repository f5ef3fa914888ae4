import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { describeWith } from '../support/programs.ts'
import { type Case, prelude, rightCases, wrongCases } from './cases.ts'
import { compilerPath } from './compilers.ts'

const run = promisify(execFile)
const compiler = 'typescript-7'
const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--skipLibCheck']
const target = ['--target', 'es2022', '--lib', 'es2022,esnext.disposable', '--module', 'nodenext']
const flags = ['--noEmit', '--pretty', 'false', '--types', 'node', ...strict, ...target]

const withReason = (cases: readonly Case[]) => cases.filter(({ reason }) => reason !== undefined)
const titles = (cases: readonly Case[]) => cases.map(({ title }) => title)

describeWith([compiler], 'that right lines compile and wrong ones do not', () => {
  let installed: InstalledPackage

  beforeAll(async () => {
    installed = await installPackage()
  }, 60_000)

  afterAll(() => installed.remove())

  /** Returns the lines with an error. */
  async function rejected(cases: readonly Case[]): Promise<Case[]> {
    const head = prelude.trim().split('\n')
    await writeFile(
      join(installed.project, 'cases.mts'),
      [...head, ...cases.map(({ code }) => code)].join('\n'),
    )
    const { stdout } = await run(process.execPath, [compilerPath(compiler), ...flags, 'cases.mts'], {
      cwd: installed.project,
      maxBuffer: 2 ** 26,
    }).catch((failed: { readonly stdout: string }) => failed)
    const lines = new Set([...stdout.matchAll(/^cases\.mts\((\d+),/gm)].map(([, line]) => Number(line)))
    expect([...lines].filter((line) => line <= head.length)).toEqual([])
    return cases.filter((_, i) => lines.has(head.length + i + 1))
  }

  it('every right line compiles, except those with a reason', async () => {
    expect(titles(await rejected(rightCases))).toEqual(titles(withReason(rightCases)))
  }, 120_000)

  it('no wrong line compiles, except those with a reason', async () => {
    const found = await rejected(wrongCases)

    expect(titles(wrongCases.filter((one) => !found.includes(one)))).toEqual(titles(withReason(wrongCases)))
  }, 120_000)
})
