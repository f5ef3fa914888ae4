import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const status = Number(process.argv[2])
const root = fileURLToPath(new URL('..', import.meta.url))
const folder = new URL('../test-results/', import.meta.url)
const slowest = 10
let passed = 0
let failed = 0

/** Prints the tests of a stage that took longest, so that one that became slow is noticed. */
function printSlowest(stage, report) {
  const tests = report.testResults
    .flatMap(({ name, assertionResults }) => assertionResults.map((test) => ({ ...test, name })))
    .filter(({ duration }) => duration > 0)
    .sort((a, b) => b.duration - a.duration)
    .slice(0, slowest)
  if (tests.length > 0) console.log(`slowest tests of ${stage}`)
  for (const { name, fullName, duration } of tests)
    console.log(`${(duration / 1000).toFixed(1).padStart(7)} s  ${relative(root, name)}: ${fullName}`)
}

for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
  if (!name.endsWith('.json')) continue
  const report = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  printSlowest(name.slice(0, -'.json'.length), report)
  passed += report.numPassedTests
  failed += report.numFailedTests + report.numPendingTests
}
if (status !== 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
