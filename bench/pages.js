import { readFileSync, writeFileSync } from 'node:fs'
import { root } from './own.js'
import { format, table, tableOf } from './table.js'

/** A generated part of a page: the tables of a benchmark, or the summary of all of them. */
const block = /(<!-- bench (\w+) -->\n)[\s\S]*?(\n<!-- bench end -->)/g

/** Rebuilds the generated parts of the pages from `bench/results`. */
export function writePages() {
  for (const page of ['docs/performance.md', 'README.md']) {
    const file = new URL(page, root)
    const text = readFileSync(file, 'utf8').replace(
      block,
      (_, begin, name, end) => `${begin}\n${name === 'summary' ? summary() : sectionOf(name)}\n${end}`,
    )
    writeFileSync(file, text)
  }
}

/**
 * @param {string} name
 * @returns {import('./result.js').Result}
 */
const read = (name) => JSON.parse(readFileSync(new URL(`bench/results/${name}.json`, root), 'utf8'))

/** @param {string} name */
function sectionOf(name) {
  const { tables, origin } = read(name)
  return [...tables.map(tableOf), origin].join('\n\n')
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
    const found = read(file).tables[at]?.rows ?? []
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
