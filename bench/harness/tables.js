import { format } from './chart.js'
import { isMet, limitOf } from './targets.js'

/**
 * @typedef {import('./result.js').Result} Result
 * @typedef {import('./result.js').Group} Group
 */

/**
 * Returns a result as Markdown: its chart, its targets, a table for each group, and how it was measured.
 *
 * @param {Result} result
 */
export const sectionOf = (result) =>
  [
    `![${result.title}](../bench/results/${result.name}.svg)`,
    ...(result.targets.length === 0 ? [] : [targetsOf(result.targets)]),
    ...result.groups.map((group) => `${group.title}:\n\n${rowsOf(group)}`),
    originOf(result),
  ].join('\n\n')

/** @param {readonly import('./result.js').Target[]} targets */
const targetsOf = (targets) =>
  table(
    ['target', 'limit', 'measured', ''],
    targets.map((target) => [
      target.what,
      limitOf(target),
      `${format(target.measured)} ${target.unit}`.trim(),
      isMet(target) ? 'met' : missedBy(target),
    ]),
  )

/** @param {import('./result.js').Target} target */
function missedBy({ most, least, measured, unit }) {
  const by = most === undefined ? (least ?? Number.NaN) - measured : measured - most
  return `**missed** by ${format(by)} ${unit}`.trimEnd()
}

/** @param {Group} group */
const rowsOf = ({ columns, rows }) =>
  table(
    ['', ...columns.map(({ label, unit }) => (unit === '' ? label : `${label}, ${unit}`))],
    rows.map(({ name, own, figures }) => [
      own ? `**${name}**` : name,
      ...columns.map(({ key }) => figureOf(figures[key] ?? null)),
    ]),
  )

/** @param {import('./spread.js').Spread | number | null} figure */
export function figureOf(figure) {
  if (figure === null) return ''
  if (typeof figure === 'number') return format(figure)
  if (figure.q1 === figure.q3) return format(figure.median)
  return `${format(figure.median)} (${format(figure.q1)} to ${format(figure.q3)})`
}

/** @param {Result} result */
function originOf({ mode, date, node, machine, versions }) {
  const { cpu, cores, memoryGiB, system, load } =
    /** @type {{ cpu: string, cores: number, memoryGiB: number, system: string, load: { before: number, after: number } }} */ (
      machine
    )
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `A ${mode} run on ${date}: Node ${node}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}; load ${format(load.before)} before, ${format(load.after)} after. ${packages.join(', ')}.`
}

/**
 * Returns a Markdown table with aligned columns.
 *
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
export function table(head, rows) {
  const widths = head.map((_, i) => Math.max(3, ...[head, ...rows].map((cells) => cells[i]?.length ?? 0)))
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${widths.map((width, i) => (cells[i] ?? '').padEnd(width)).join(' | ')} |`
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n')
}
