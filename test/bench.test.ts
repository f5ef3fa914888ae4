import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { describeUnless, describeWith } from './support/programs.ts'

const bench = new URL('../bench/', import.meta.url)
const missing = existsSync(new URL('node_modules/tinybench', bench)) ? [] : ['npm ci --prefix bench']
const measures = (await readdir(new URL('measures', bench))).map((file) => basename(file, '.js'))
const { withRatios }: { withRatios(names: readonly string[]): readonly string[] } = await import(
  new URL('regressions.js', bench).href
)

async function printsFigures(name: string): Promise<void> {
  const args = [fileURLToPath(new URL('run.js', bench)), name, '--once']
  const { stdout } = await promisify(execFile)(process.execPath, args)

  expect(stdout).toMatch(/^\| \*\*.+\*\* +\| \d/m)
}

describeUnless(missing, 'that the benchmarks run', () => {
  // The others run with `npm run bench -- --check`.
  it.each(measures.filter((name) => name !== 'growth' && !withRatios(measures).includes(name)))(
    'the benchmark %s runs and prints a figure of this package',
    printsFigures,
  )

  describeWith(['redis-server', 'postgres'], 'that the benchmark of growth runs', () => {
    it('the benchmark growth runs and prints a figure of this package', () => printsFigures('growth'))
  })
})
