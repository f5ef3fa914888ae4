/**
 * @typedef {import('./result.js').Group} Group
 * @typedef {import('./result.js').ResultRow} ResultRow
 */

const width = 760
const labelWidth = 232
const barsWidth = 410
const rowHeight = 24

const style = `
    .page { fill: #fff }
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 16px; font-weight: 600 }
    .group { font-weight: 600 }
    .note { font-size: 12px; fill: #59636e }
    .bar { fill: #8c959f }
    .own { fill: #0969da }
    .spread { stroke: #1f2328; stroke-width: 1.5 }
    .cut { fill: #fff }
    @media (prefers-color-scheme: dark) {
      .page, .cut { fill: #0d1117 }
      text { fill: #e6edf3 }
      .note { fill: #9198a1 }
      .bar { fill: #656c76 }
      .own { fill: #4493f8 }
      .spread { stroke: #e6edf3 }
    }`

/**
 * Returns an SVG with horizontal bars that is legible in light and dark mode.
 *
 * @param {import('./result.js').Result} result
 */
export function chartOf({ title, what, groups, node, machine, mode }) {
  const { cpu, cores } = /** @type {{ cpu: string, cores: number }} */ (machine)
  let y = 30
  /** @type {string[]} */
  const parts = [text('title', 16, y, title)]
  for (const group of groups) {
    y += 32
    parts.push(text('group', 16, y, `${group.title}: ${labelOf(group)}`))
    const longest = group.longest ?? Math.max(...group.rows.map((row) => upper(row, group)))
    for (const row of group.rows) {
      y += rowHeight
      parts.push(...barOf(row, group, y, longest))
    }
  }
  y += 32
  parts.push(
    text(
      'note',
      16,
      y,
      `Shorter is better. Lines show the middle half of the measurements. ${mode} run, Node ${node}, ${cpu}, ${cores} cores.`,
    ),
  )
  const height = y + 16
  const description = groups.map(
    (group) =>
      `${group.title}. ${group.rows.map((row) => `${row.name}: ${formatted(row, group)}`).join('; ')}.`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">
  <title id="title">${escaped(title)}</title>
  <desc id="desc">${escaped([what, ...description].join(' '))}</desc>
  <style>${style}
  </style>
  <rect class="page" width="${width}" height="${height}" rx="8"/>
  ${parts.join('\n  ')}
</svg>
`
}

/**
 * @param {ResultRow} row
 * @param {Group} group
 * @param {number} y
 * @param {number} longest the value that fills the width; a longer bar is cut, and marked as cut
 */
function* barOf(row, group, y, longest) {
  const value = middle(row, group)
  yield text('label', 16, y, row.name)
  if (Number.isNaN(value)) return
  const x = (/** @type {number} */ amount) =>
    round(labelWidth + (barsWidth * Math.min(Math.max(amount, 0), longest)) / longest)
  const end = Math.max(x(value), labelWidth + 1)
  yield `<rect class="${row.own ? 'own' : 'bar'}" x="${labelWidth}" y="${y - 12}" width="${round(end - labelWidth)}" height="16" rx="2"/>`
  const figure = row.figures[group.bars]
  if (value > longest) yield `<path class="cut" d="M${end - 18} ${y + 5}l5 -18h5l-5 18z"/>`
  else if (typeof figure === 'object' && figure !== null && figure.q3 <= longest) {
    yield `<path class="spread" d="M${x(figure.q1)} ${y - 4}H${x(figure.q3)}"/>`
  }
  yield text('value', Math.max(end, x(upper(row, group))) + 8, y, formatted(row, group))
}

/** @param {Group} group */
function labelOf({ columns, bars }) {
  const column = columns.find(({ key }) => key === bars)
  return column === undefined ? '' : column.label + (column.unit === '' ? '' : `, ${column.unit}`)
}

/**
 * @param {ResultRow} row
 * @param {Group} group
 */
function middle({ figures }, { bars }) {
  const figure = figures[bars]
  return typeof figure === 'number' ? figure : (figure?.median ?? Number.NaN)
}

/**
 * Returns the end of a bar, including the line of its spread.
 *
 * @param {ResultRow} row
 * @param {Group} group
 */
function upper(row, group) {
  const figure = row.figures[group.bars]
  return typeof figure === 'object' && figure !== null
    ? Math.max(figure.q3, figure.median)
    : middle(row, group)
}

/**
 * @param {ResultRow} row
 * @param {Group} group
 */
const formatted = (row, group) => format(middle(row, group))

/**
 * Formats a figure with as many digits as are meaningful.
 *
 * @param {number} value
 */
export function format(value) {
  if (Number.isNaN(value)) return ''
  const size = Math.abs(value)
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

/**
 * @param {string} name
 * @param {number} x
 * @param {number} y
 * @param {string} content
 */
const text = (name, x, y, content) =>
  `<text class="${name}" x="${round(x)}" y="${y}">${escaped(content)}</text>`

const round = (/** @type {number} */ value) => Math.round(value * 10) / 10

/** @param {string} content */
const escaped = (content) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
