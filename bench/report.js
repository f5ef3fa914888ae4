// Rewrites the generated parts of the pages: `node bench/report.js`.
import { readFileSync, writeFileSync } from 'node:fs'
import { withResults } from './harness/blocks.js'

for (const page of ['../docs/performance.md', '../README.md']) {
  const file = new URL(page, import.meta.url)
  writeFileSync(file, withResults(readFileSync(file, 'utf8')))
}
