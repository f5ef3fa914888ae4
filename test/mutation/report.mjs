// Rewrites the generated part of docs/quality.md: `node test/mutation/report.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { withScores } from './scores.mjs'

const page = new URL('../../docs/quality.md', import.meta.url)
writeFileSync(page, withScores(readFileSync(page, 'utf8')))
