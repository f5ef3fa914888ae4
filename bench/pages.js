import { readFileSync, writeFileSync } from 'node:fs'
import { root } from './own.js'
import { keptResult } from './result.js'
import { format, table } from './table.js'

const page = new URL('docs/about/performance.md', root)

/** A generated part of the page. */
const block = /(<!-- bench summary -->\n)[\s\S]*?(<!-- bench end -->)/

/** Rebuilds the generated part of the page from `bench/results`. */
export function writePages() {
  const text = readFileSync(page, 'utf8').replace(block, (_, begin, end) => `${begin}\n${summary()}\n\n${end}`)
  writeFileSync(page, text)
  writeFileSync(new URL('docs/images/growth.svg', root), growthChart(keptResult('growth').tables))
}

const chart = { width: 640, height: 320, left: 56, right: 150, top: 24, bottom: 48 }
const colors = ['#c2410c', '#1d4ed8']

/**
 * Returns a chart of how long a reconcile takes, by the number of people in the store.
 *
 * @param {readonly import('./table.js').Table[]} tables a table for each engine
 */
function growthChart(tables) {
  const { width, height, left, right, top, bottom } = chart
  const sizes = (tables[0]?.rows ?? []).map(({ name }) => name)
  const highest = Math.max(...tables.flatMap(({ rows }) => rows.map(({ figures }) => Number(figures.reconcile))))
  const most = Math.ceil(highest / 100) * 100
  const x = (/** @type {number} */ i) => left + (i * (width - left - right)) / Math.max(1, sizes.length - 1)
  const y = (/** @type {number} */ ms) => height - bottom - (ms / most) * (height - top - bottom)
  const text = (/** @type {string} */ content, /** @type {string} */ attributes) =>
    `<text font-size="12" ${attributes}>${content}</text>`
  const line = (/** @type {number} */ ms) =>
    `<path d="M${left} ${y(ms)}H${width - right}" stroke="#d4d4d4"/>${text(`${ms} ms`, `x="${left - 8}" y="${y(ms) + 4}" text-anchor="end"`)}`
  const marks = Array.from({ length: 5 }, (_, i) => line((i * most) / 4))
  const labels = sizes.map((size, i) =>
    text(size, `x="${x(i).toFixed(1)}" y="${height - bottom + 24}" text-anchor="middle"`),
  )
  const lines = tables.map(({ title, rows }, i) => {
    const points = rows.map(({ figures }, at) => `${x(at).toFixed(1)},${y(Number(figures.reconcile)).toFixed(1)}`)
    const end = y(Number(rows.at(-1)?.figures.reconcile))
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${colors[i]}" stroke-width="2"/>`,
      text(String(title.split(',')[0]), `x="${width - right + 40}" y="${(end + 4).toFixed(1)}" fill="${colors[i]}"`),
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" fill="#404040">`,
    '<title>Time of a reconcile with 1,000 pending verifications, by the number of people in the store</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...[...marks, ...labels, ...lines],
    '</svg>\n',
  ].join('\n')
}

/** @type {readonly { what: string, file: string, at?: number, figure: string, unit: string, own: string, others: string[] }[]} */
const lines = [
  {
    what: 'CPU of a call',
    file: 'call',
    figure: 'ratio',
    unit: 'x',
    own: 'sessions.create',
    others: ['stripe', 'workos', 'svix', 'resend', 'openai'],
  },
  ...[0, 2].map((at) => ({
    what: `CPU of a webhook of ${at === 0 ? 1 : 200} KiB`,
    file: 'webhook',
    at,
    figure: 'ratio',
    unit: 'x',
    own: 'verifyWebhook',
    others: ['octokit', 'stripe', 'svix', 'openai', 'workos'],
  })),
  {
    what: 'Webhook verification in a bundle',
    file: 'size',
    figure: 'size',
    unit: 'KiB',
    own: 'verifyWebhook, the root',
    others: ['octokit', 'standardwebhooks', 'svix', 'openai', 'clerk', 'stripe', 'workos'],
  },
  {
    what: 'Import of the root',
    file: 'import',
    figure: 'cpu',
    unit: 'ms of CPU',
    own: 'the root',
    others: ['@workos-inc/node', 'resend', 'openai', 'stripe', 'auth0', '@mistralai/mistralai'],
  },
  {
    what: 'CPU of an upload of 19 MiB',
    file: 'upload',
    figure: 'ratio',
    unit: 'x',
    own: 'imageFromFile',
    others: ['form-data, unmodified', 'fetch + FormData', 'openai files.create'],
  },
]

/** Returns a line for each result, with the figure of this package and those of others. */
function summary() {
  const rows = lines.map(({ what, file, at = 0, figure, unit, own, others }) => {
    const found = keptResult(file).tables[at]?.rows ?? []
    const figureOf = (/** @type {string} */ name) => {
      // The rows of webhooks also name the form of the input, as in "stripe (bytes)".
      const row = found.find((one) => one.name === name || one.name.startsWith(`${name} (`))
      if (row?.figures[figure] === undefined) throw new Error(`${file} has no ${figure} of ${name}`)
      return format(row.figures[figure])
    }
    const rest = others.map((name) => `${name} ${figureOf(name)}`)
    return [what, `**${figureOf(own)} ${unit}**`, rest.join(', ')]
  })
  return table(['', 'this package', 'others'], rows)
}
