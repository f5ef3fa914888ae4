import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { against, isFull } from './arguments.js'
import { chartOf } from './chart.js'
import { comparisonOf } from './comparison.js'
import { rounded } from './spread.js'
import { isMet, limitOf } from './targets.js'
import { ownVersions } from './versions.js'

/**
 * @typedef {import('./spread.js').Spread} Spread
 * @typedef {{ key: string, label: string, unit: string }} Column
 * @typedef {{ name: string, own?: boolean, figures: Record<string, Spread | number | null> }} ResultRow
 * @typedef {{ title: string, columns: Column[], bars: string, longest?: number, rows: ResultRow[] }} Group
 * @typedef {{ what: string, most?: number, least?: number, measured: number, unit: string }} Target
 * @typedef {{ title: string, what: string, groups: Group[], targets: Target[], peers?: string[] }} Findings
 * @typedef {Findings & { name: string, mode: string, date: string, node: string, machine: object, versions: Record<string, string> }} Result
 */

const load = () => rounded(loadavg()[0] ?? 0)
const loadBefore = load()

/**
 * Writes the findings as JSON and as a chart. With `--against`, it only prints the figures of both builds.
 *
 * @param {string} name
 * @param {Findings} findings
 */
export function writeResult(name, { peers = [], ...findings }) {
  if (against !== undefined) {
    for (const group of findings.groups) console.log(`\n${comparisonOf(group)}`)
    return
  }
  /** @type {Result} */
  const result = {
    name,
    ...findings,
    groups: findings.groups.map((group) => ({ ...group, rows: group.rows.map(roundedRow) })),
    targets: findings.targets.map((target) => ({ ...target, measured: rounded(target.measured) })),
    mode: isFull ? 'full' : 'quick',
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${process.platform} ${process.arch}`,
      load: { before: loadBefore, after: load() },
    },
    versions: ownVersions(peers),
  }
  const results = new URL('../results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  writeFileSync(new URL(`${name}.json`, results), `${JSON.stringify(result, null, 2)}\n`)
  writeFileSync(new URL(`${name}.svg`, results), chartOf(result))
  for (const target of result.targets) {
    console.log(
      `${isMet(target) ? 'met   ' : 'missed'}  ${target.what}: ${target.measured} ${target.unit} (${limitOf(target)})`,
    )
  }
}

/**
 * @param {ResultRow} row
 * @returns {ResultRow}
 */
function roundedRow(row) {
  const figures = Object.entries(row.figures).map(([key, one]) => [
    key,
    typeof one === 'number' ? rounded(one) : one,
  ])
  return { ...row, figures: Object.fromEntries(figures) }
}
