// Prints what CI took, and the line that counts its tests: `node .ci/summary.mjs STATUS`. The list of durations is
// written to `test-results/durations.md` too, which `.github/workflows/ci.yml` keeps.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const status = Number(process.argv[2])
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = new URL('../test-results/', import.meta.url)
const slowest = 20
mkdirSync(folder, { recursive: true })

/** The lines `NAME SECONDS` that `.ci/run` writes when a stage ends. */
const stagesFile = new URL('stages.txt', folder)
const stages = existsSync(stagesFile) ? readFileSync(stagesFile, 'utf8').trim().split('\n') : []

const reports = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map((name) => ({
    stage: name.slice(0, -'.json'.length),
    ...JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
  }))

const row = (/** @type {number} */ seconds, /** @type {string} */ text) => `| ${seconds.toFixed(1)} | ${text} |`
const table = (/** @type {string} */ title, /** @type {string[]} */ rows) => [
  '',
  `| seconds | ${title} |`,
  '| ---: | --- |',
  ...rows,
]

const durations = [
  ...table(
    'stage',
    stages.map((line) => row(Number(line.split(' ')[1]), line.split(' ')[0])),
  ),
  ...reports.flatMap(({ stage, testResults }) => {
    const files = testResults
      .map(({ name, startTime, endTime }) => ({
        name: relative(root, name),
        seconds: (endTime - startTime) / 1000,
      }))
      .sort((a, b) => b.seconds - a.seconds)
    const sum = files.reduce((total, { seconds }) => total + seconds, 0)
    return table(`the slowest of ${files.length} files of ${stage}, which took ${sum.toFixed(0)} s together`, [
      ...files.slice(0, slowest).map(({ seconds, name }) => row(seconds, name)),
    ])
  }),
].join('\n')
writeFileSync(new URL('durations.md', folder), `${durations.trim()}\n`)
console.log(durations)

const passed = reports.reduce((total, { numPassedTests }) => total + numPassedTests, 0)
const failed = reports.reduce(
  (total, { numFailedTests, numPendingTests }) => total + numFailedTests + numPendingTests,
  0,
)
// The last line counts tests. A failure before the first test counts as one failed test.
console.log(`${passed} passed, ${failed === 0 && status !== 0 ? 1 : failed} failed`)
