import { existsSync, readdirSync, readFileSync } from 'node:fs'

const status = Number(process.argv[2])
const folder = new URL('../test-results/', import.meta.url)
let passed = 0
let failed = 0
for (const name of existsSync(folder) ? readdirSync(folder) : []) {
  if (!name.endsWith('.json')) continue
  const report = JSON.parse(readFileSync(new URL(name, folder), 'utf8'))
  passed += report.numPassedTests
  failed += report.numFailedTests + report.numPendingTests
}
if (status !== 0 && failed === 0) failed = 1
console.log(`${passed} passed, ${failed} failed`)
