// Checks the types of the review, runs it, and prints how many statements there are and how many hold, by section:
// npm run review
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'contract-review-'))
const file = join(folder, 'report.json')
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const options = ['run', 'test/contract-review', '--reporter=json', `--outputFile=${file}`]

// Statements about types hold if they compile: vitest does not check them.
const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
const types = spawnSync(process.execPath, [compiler, '--noEmit'], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
})
const run = spawnSync(process.execPath, [vitest, ...options], {
  cwd: root,
  stdio: ['ignore', 'ignore', 'inherit'],
})
/** @type {{ testResults: { assertionResults: { title: string, status: string }[] }[] }} */
const { testResults } = JSON.parse(readFileSync(file, 'utf8'))
rmSync(folder, { recursive: true })

const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
const statements = tests.filter(({ title }) => /^\d/.test(title))
const shapes = tests.filter((test) => !statements.includes(test))

/** @param {{ status: string }[]} some */
const held = (some) => some.filter(({ status }) => status === 'passed').length
/** @param {string} title */
const sectionOf = (title) => title.split(/[. ]/)[0] ?? ''

const sections = [...new Set(statements.map(({ title }) => sectionOf(title)))].sort()
const bySection = sections.map((section) => {
  const own = statements.filter(({ title }) => sectionOf(title) === section)
  return `${section}: ${held(own)}/${own.length}`
})
console.log(
  `${statements.length} statements, ${held(statements)} hold (section ${bySection.join(', ')}); ` +
    `${shapes.length} shapes, ${held(shapes)} accepted in strict mode`,
)
for (const { title, status } of tests) if (status !== 'passed') console.log(`does not hold: ${title}`)

const figures =
  `Of ${statements.length} statements, ${held(statements)} hold. ` +
  `Of ${shapes.length} shapes, ${held(shapes)} are accepted in strict mode.`
const isStated = readFileSync(join(root, 'docs/quality.md'), 'utf8').includes(figures)
if (!isStated) console.log(`docs/quality.md must say: ${figures}`)
if (types.status !== 0) console.log('the types do not hold')
// A file that cannot be loaded has no tests, and an error outside of the tests belongs to none.
if (run.status !== 0) console.log('vitest failed')
const holds = held(tests) === tests.length && types.status === 0 && run.status === 0
process.exitCode = isStated && holds ? 0 : 1
