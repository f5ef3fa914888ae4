import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'

const script = fileURLToPath(new URL('../../.ci/summary.mjs', import.meta.url))

/** Runs the summary of continuous integration on reports of stages. Returns the lines that it prints. */
function summaryOf(reports: Readonly<Record<string, (root: string) => object>>, status = 0): string[] {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'summary-')))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const folder of ['.ci', 'test-results']) mkdirSync(join(root, folder))
  cpSync(script, join(root, '.ci/summary.mjs'))
  for (const [stage, report] of Object.entries(reports))
    writeFileSync(join(root, 'test-results', `${stage}.json`), JSON.stringify(report(root)))
  const printed = execFileSync(process.execPath, [join(root, '.ci/summary.mjs'), String(status)])
  return printed.toString().trimEnd().split('\n')
}

/** The report of a stage whose tests take the given times, in milliseconds. */
const reportOf = (durations: readonly number[], counts: object = {}) => {
  const assertionResults = durations.map((duration, i) => ({ fullName: `test ${i}`, duration }))
  return (root: string) => ({
    numPassedTests: durations.length,
    numFailedTests: 0,
    numPendingTests: 0,
    ...counts,
    testResults: [{ name: join(root, 'test/a.test.ts'), assertionResults }],
  })
}

it('continuous integration prints the ten slowest tests of each stage, then the counts', () => {
  const many = Array.from({ length: 12 }, (_, i) => 100 * (i + 1))

  const printed = summaryOf({ vitest: reportOf(many), outside: reportOf([61_000, 5]) })

  expect(printed).toEqual([
    'slowest tests of outside',
    '   61.0 s  test/a.test.ts: test 0',
    '    0.0 s  test/a.test.ts: test 1',
    'slowest tests of vitest',
    ...[11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map(
      (i) => `    ${((i + 1) / 10).toFixed(1)} s  test/a.test.ts: test ${i}`,
    ),
    '14 passed, 0 failed',
  ])
})

it('the last line of continuous integration counts a skipped test, and a failure before all tests, as failed', () => {
  expect(summaryOf({ vitest: reportOf([5], { numPendingTests: 1 }) }).at(-1)).toBe('1 passed, 1 failed')
  expect(summaryOf({}, 1)).toEqual(['0 passed, 1 failed'])
})
