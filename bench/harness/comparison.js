import { against } from './arguments.js'
import { figureOf, table } from './tables.js'

/** @typedef {import('./result.js').Group} Group */

/**
 * A row to run, and the checkout whose build it measures.
 *
 * @typedef {{ name: string, row: string, checkout?: string }} Job
 */

/** @param {string} name */
const before = (name) => `${name}, before`

/**
 * Returns what to measure. With `--against`, this is the baseline, its control, and each row of this package twice:
 * with the build of this checkout and with the other build.
 *
 * @param {readonly string[]} names the first is the baseline
 * @param {readonly string[]} own the rows of this package
 * @param {readonly string[]} [peers] rows to keep with `--against`
 * @returns {Job[]}
 */
export function jobsOf(names, own, peers = []) {
  const checkout = against
  if (checkout === undefined) return names.map((name) => ({ name, row: name }))
  return names
    .filter((name, i) => i === 0 || name.endsWith('(control)') || [...own, ...peers].includes(name))
    .flatMap((name) => {
      const job = { name, row: name }
      return own.includes(name) ? [job, { name: before(name), row: name, checkout }] : [job]
    })
}

/**
 * Returns a table with the figures of both builds next to each other.
 *
 * @param {Group} group
 */
export function comparisonOf({ title, columns, rows }) {
  const otherBuild = new Map(rows.map(({ name, figures }) => [name, figures]))
  const compared = rows.filter(({ name }) => !name.endsWith(before('')))
  return table(
    [title, 'before', 'after', 'change'],
    compared.flatMap(({ name, figures }) =>
      columns.map(({ key, label, unit }) => {
        const [was = null, is = null] = [otherBuild.get(before(name))?.[key], figures[key]]
        return [
          `${name}: ${label}${unit === '' ? '' : `, ${unit}`}`,
          figureOf(was),
          figureOf(is),
          was === null || is === null ? '' : changeOf(middleOf(was), middleOf(is)),
        ]
      }),
    ),
  )
}

/** @param {import('./spread.js').Spread | number} figure */
const middleOf = (figure) => (typeof figure === 'number' ? figure : figure.median)

/**
 * Returns the change in per cent. A difference to another figure has none.
 *
 * @param {number} was
 * @param {number} is
 */
function changeOf(was, is) {
  if (was <= 0 || is <= 0) return ''
  const percent = 100 * (is / was - 1)
  return `${percent > 0 ? '+' : ''}${percent.toFixed(1)} %`
}
