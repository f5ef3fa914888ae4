// Rewrites what docs/performance.md tells of results: `node bench/report.js`.
import { readFileSync, writeFileSync } from 'node:fs'
import { withResults } from './harness/blocks.js'

const page = new URL('../docs/performance.md', import.meta.url)
writeFileSync(page, withResults(readFileSync(page, 'utf8')))
