import { table } from '../../bench/table.js'
import { folders } from './folders.mjs'
import { readResults } from './results.mjs'

/**
 * @typedef {import('./results.mjs').Counts} Counts
 * @typedef {import('./results.mjs').Results} Results
 */

/** The part of the page that is generated. */
const block = /(<!-- mutation -->\n)[\s\S]*?(\n<!-- mutation end -->)/

/**
 * Returns the page with its generated part rebuilt from the results.
 *
 * @param {string} page
 */
export const withScores = (page) =>
  page.replace(block, (_, begin, end) => `${begin}\n${sectionOf(readResults())}\n${end}`)

/** The score that each folder has to reach, in per cent. */
export const targetScore = 85

/**
 * Returns the share of mutants that a test detected, in per cent. Ignored mutants are not counted.
 *
 * @param {Counts} counts
 */
export function scoreOf({ killed, timeout, survived, noCoverage }) {
  const detected = killed + timeout
  return (100 * detected) / (detected + survived + noCoverage)
}

/** @param {readonly Counts[]} list */
const sumOf = (list) =>
  list.reduce(
    (sum, counts) => ({
      killed: sum.killed + counts.killed,
      timeout: sum.timeout + counts.timeout,
      survived: sum.survived + counts.survived,
      noCoverage: sum.noCoverage + counts.noCoverage,
      ignored: sum.ignored + counts.ignored,
    }),
    { killed: 0, timeout: 0, survived: 0, noCoverage: 0, ignored: 0 },
  )

/** @param {Results} results */
const sectionOf = (results) =>
  [scoresOf(results), lowestOf(results), kindsOf(results), originOf(results)].join('\n\n')

/**
 * Returns the counts of each folder of `src`, with those of the folders within it.
 *
 * @param {Results} results
 */
export function countsByFolder(results) {
  /** @type {Map<string, Counts[]>} */
  const found = new Map()
  for (const [name, { files }] of Object.entries(results)) {
    const [folder = name] = name.split('/')
    found.set(folder, [...(found.get(folder) ?? []), ...Object.values(files)])
  }
  return [...found].map(([folder, counts]) => /** @type {const} */ ([folder, sumOf(counts)]))
}

/** @param {Results} results */
function scoresOf(results) {
  const rows = countsByFolder(results).map(([folder, counts]) => ({ name: `src/${folder}`, counts }))
  const total = { name: '**all**', counts: sumOf(rows.map(({ counts }) => counts)) }
  return table(
    ['', 'score', 'killed', 'timed out', 'survived', 'not covered', 'ignored'],
    [...rows, total].map(({ name, counts }) => [
      name,
      `${scoreOf(counts).toFixed(1)} %`,
      ...[counts.killed, counts.timeout, counts.survived, counts.noCoverage, counts.ignored].map(String),
    ]),
  )
}

/** @param {Results} results */
function lowestOf(results) {
  const low = Object.values(results)
    .flatMap(({ files }) => Object.entries(files))
    .map(([path, counts]) => ({ path, counts, score: scoreOf(counts) }))
    .filter(({ score }) => score < targetScore)
    .sort((a, b) => a.score - b.score)
  if (low.length === 0) return `Every file reaches ${targetScore} %.`
  const rows = low.map(({ path, counts, score }) => [
    `\`${path}\``,
    `${score.toFixed(1)} %`,
    String(counts.survived + counts.noCoverage),
  ])
  return `Files under ${targetScore} %:\n\n${table(['', 'score', 'undetected'], rows)}`
}

/** @param {Results} results */
function kindsOf(results) {
  const all = Object.values(results).map(({ kinds }) => kinds)
  const rows = [...new Set(all.flatMap((kinds) => Object.keys(kinds)))]
    .map((kind) => ({ kind, counts: sumOf(all.flatMap((kinds) => kinds[kind] ?? [])) }))
    .map(({ kind, counts }) => ({ kind, counts, undetected: counts.survived + counts.noCoverage }))
    .filter(({ undetected }) => undetected > 0)
    .sort((a, b) => b.undetected - a.undetected)
    .map(({ kind, counts, undetected }) => [kind, String(undetected), `${scoreOf(counts).toFixed(1)} %`])
  return `Undetected mutants, by mutator:\n\n${table(['', 'undetected', 'score'], rows)}`
}

/** @param {Results} results */
const originOf = (results) =>
  Object.keys(folders)
    .map((folder) => {
      const result = results[folder]
      if (result === undefined) return `- \`src/${folder}\`: not run yet.`
      const programs = Object.entries(result.versions).map(([name, version]) => `${name} ${version}`)
      return `- \`src/${folder}\`: run on ${result.date}, ${programs.join(', ')}.`
    })
    .join('\n')
