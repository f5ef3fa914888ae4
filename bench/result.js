import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { isWriting, mode } from './mode.js'
import { root } from './own.js'
import { tableOf } from './table.js'

/** @typedef {{ origin: string, tables: import('./table.js').Table[] }} Result */

/** The results from which the pages are built. */
const kept = new URL('bench/results/', root)
/** Those of the last run. */
const latest = new URL('test-results/bench/', root)

/**
 * Prints the tables and writes them to `test-results/bench`, or with `--write` to `bench/results`.
 *
 * @param {string} name
 * @param {readonly import('./table.js').Table[]} tables
 */
export function report(name, tables) {
  console.log(`\n${tables.map(tableOf).join('\n\n')}`)
  const result = { origin: origin(), tables: tables.map(rounded) }
  const folder = isWriting ? kept : latest
  mkdirSync(folder, { recursive: true })
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(result, null, 2)}\n`)
}

/** @param {string} name @returns {Result} */
export const keptResult = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, kept), 'utf8'))

/** @param {string} name @returns {Result} */
export const latestResult = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, latest), 'utf8'))

function origin() {
  const versions = ['.', 'node_modules/undici', 'node_modules/jose'].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(new URL(`${folder}/package.json`, root), 'utf8'))
    return `${name} ${version}`
  })
  const machine = `${cpus()[0]?.model}, ${cpus().length} cores, ${process.platform} ${process.arch}`
  const date = new Date().toISOString().slice(0, 10)
  return `A ${mode} run on ${date}: Node ${process.version}, ${machine}, load ${loadavg()[0]?.toFixed(1)}; ${versions.join(', ')}.`
}

/**
 * Rounds to four digits, which is more than these machines reproduce.
 *
 * @param {import('./table.js').Table} table
 */
const rounded = ({ rows, ...table }) => ({
  ...table,
  rows: rows.map((row) => ({
    ...row,
    figures: Object.fromEntries(
      Object.entries(row.figures).map(([key, figure]) => [key, Number(figure.toPrecision(4))]),
    ),
  })),
})
