import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { isWriting, mode } from './mode.js'
import { root } from './own.js'
import { tableOf } from './table.js'

/** @typedef {{ origin: string, tables: import('./table.js').Table[] }} Result */

/**
 * Prints the tables. With `--write`, it also writes them to `bench/results`, from which the pages are built.
 *
 * @param {string} name
 * @param {readonly import('./table.js').Table[]} tables
 */
export function report(name, tables) {
  console.log(`\n${tables.map(tableOf).join('\n\n')}`)
  if (!isWriting) return
  const result = { origin: origin(), tables: tables.map(rounded) }
  writeFileSync(new URL(`bench/results/${name}.json`, root), `${JSON.stringify(result, null, 2)}\n`)
}

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
