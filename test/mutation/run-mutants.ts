// Runs the mutants of mutants.ts: `npm run mutants`, or those whose name, file or test contains a text:
// `npm run mutants -- webhooks`. Each must fail a test of its test file.
import { mergeConfig } from 'vitest/config'
import { startVitest } from 'vitest/node'
import shared, { withoutFiles } from '../../vitest.config.ts'
import { mutation, type SourceChange } from '../support/mutation.ts'
import { mutants } from './mutants.ts'

interface Run {
  /** Titles of the tests that failed. */
  readonly failed: readonly string[]
  /** Why a test file could not be loaded, so that none of its tests ran. */
  readonly broken: string | undefined
  readonly seconds: string
}

/** Runs test files, up to the first test that fails if the source has a mistake. */
async function run(include: readonly string[], change?: SourceChange): Promise<Run> {
  const startedAt = performance.now()
  const options = {
    config: false as const,
    watch: false,
    reporters: [{}],
    bail: change ? 1 : 0,
    maxWorkers: 2,
  }
  // A mutant may never finish.
  const limits = change ? { testTimeout: 60_000, hookTimeout: 60_000 } : {}
  const test = { include, isolate: false, ...limits }
  // A copy of `define`, because Vitest empties it.
  const own = { test, define: { ...shared.define }, plugins: change ? [mutation(change)] : [] }
  const config = mergeConfig(withoutFiles(shared), own)
  const vitest = await startVitest('test', [], options, config)
  const modules = vitest.state.getTestModules()
  const failed = modules.flatMap(({ children }) => [...children.allTests('failed')].map((one) => one.fullName))
  const broken = modules.flatMap((one) => one.errors()).map(({ message }) => message)
  if (modules.length !== include.length) broken.push('a test file did not run')
  await vitest.close()
  return { failed, broken: broken[0], seconds: ((performance.now() - startedAt) / 1000).toFixed(1) }
}

const table = (...columns: readonly string[]) =>
  console.log(columns.map((column, i) => column.padEnd([70, 38, 44, 6][i] ?? 0)).join('  '))

const [part = ''] = process.argv.slice(2)
const selected = mutants.filter(({ name, file, test }) => `${name} ${file} ${test}`.includes(part))
const problems = selected.length === 0 ? [`no mutant contains ${part}`] : []

if (problems.length === 0) {
  // A test that fails without a mutant would show nothing.
  const { failed, broken } = await run([...new Set(selected.map(({ test }) => test))])
  problems.push(...failed.map((title) => `fails without a mutant: ${title}`), ...(broken ? [broken] : []))
}
if (problems.length === 0) {
  table('mutant', 'file', 'test file', 's', 'first test that failed')
  for (const mutant of selected) {
    const { name, file, test } = mutant
    const { failed, broken, seconds } = await run([test], mutant)
    const [title = broken ? 'DOES NOT LOAD' : 'NOT NOTICED'] = failed
    table(name, file, test, seconds, title)
    if (failed.length === 0) problems.push(`${name}: ${broken ?? `no test of ${test} fails`}`)
  }
  console.log(`${selected.length - problems.length} of ${selected.length} mutants are noticed`)
}
for (const problem of problems) console.error(problem)
process.exit(problems.length === 0 ? 0 : 1)
