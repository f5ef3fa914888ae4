/**
 * @typedef {{ name: string, own?: boolean, figures: Record<string, number>, limits?: Record<string, number> }} Row
 *   `own` marks a row of this package; `limits` are the budgets of its figures
 * @typedef {{ title: string, columns: Record<string, string>, rows: Row[], tolerance?: number }} Table
 *   `tolerance` is how many times the ratios of the pages those of `--check` may be
 */

/** @param {Table} result */
export const tableOf = ({ title, columns, rows }) =>
  `${title}:\n\n${table(
    ['', ...Object.values(columns)],
    rows.map(({ name, own, figures, limits = {} }) => [
      own ? `**${name}**` : name,
      ...Object.keys(columns).map((key) => cellOf(figures[key], limits[key])),
    ]),
  )}`

/**
 * @param {number | undefined} figure
 * @param {number | undefined} limit
 */
function cellOf(figure, limit) {
  if (figure === undefined) return ''
  if (limit === undefined) return format(figure)
  return `${format(figure)} (at most ${limit}${figure <= limit ? '' : ', **missed**'})`
}

/**
 * Formats a figure with as many digits as are meaningful.
 *
 * @param {number} value
 */
export function format(value) {
  const size = Math.abs(value)
  return value.toFixed(size >= 100 || Number.isInteger(value) ? 0 : size >= 10 ? 1 : 2)
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
