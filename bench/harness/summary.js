import { format } from './chart.js'
import { table } from './tables.js'

/** @typedef {import('./result.js').Result} Result */

/** @typedef {{ what: string, file: string, group: string, figure: string, unit: string, own: string, others: readonly string[] }} Line */

/** @type {(length: string) => Line} */
const webhookLine = (length) => ({
  what: `CPU of a webhook of ${length}`,
  file: 'webhook',
  group: length,
  figure: 'ratio',
  unit: 'x',
  own: 'verifyWebhook',
  others: ['octokit', 'stripe', 'svix', 'openai', 'workos'],
})

/**
 * The lines of the summary: for each result the row of this package, and the rows to compare it with. A row may be
 * named without the form of its input.
 *
 * @type {readonly Line[]}
 */
const lines = [
  {
    what: 'CPU of a call',
    file: 'call',
    group: 'Small POST, 16 at a time',
    figure: 'ratio',
    unit: 'x',
    own: 'sessions.create',
    others: ['stripe', 'workos', 'svix', 'resend', 'openai'],
  },
  webhookLine('1 KiB'),
  webhookLine('200 KiB'),
  {
    what: 'Webhook verification in a bundle',
    file: 'size',
    group: 'Webhook verification',
    figure: 'size',
    unit: 'KiB',
    own: 'verifyWebhook, the root',
    others: ['octokit', 'standardwebhooks', 'svix', 'openai', 'clerk', 'stripe', 'workos'],
  },
  {
    what: 'Import of the root',
    file: 'import',
    group: 'Import, compared with an empty process',
    figure: 'cpu',
    unit: 'ms of CPU',
    own: 'the root',
    others: ['@workos-inc/node', 'resend', 'openai', 'stripe', 'auth0', '@mistralai/mistralai'],
  },
  {
    what: 'CPU of an upload of 19 MiB',
    file: 'upload',
    group: '19 MiB',
    figure: 'ratio',
    unit: 'x',
    own: 'imageFromFile',
    others: ['form-data, unmodified', 'fetch + FormData', 'openai files.create'],
  },
]

/**
 * Returns the summary, with one line for each result.
 *
 * @param {(file: string) => Result} read
 */
export function summaryOf(read) {
  const rows = lines.map(({ what, file, group, figure, unit, own, others }) => {
    const found = read(file).groups.find(({ title }) => title === group)
    const figureOf = (/** @type {string} */ name) => {
      const value = found?.rows.find((row) => [row.name, shortName(row.name)].includes(name))?.figures[figure]
      if (value === undefined || value === null) throw new Error(`${file} has no ${figure} of ${name}`)
      return format(typeof value === 'number' ? value : value.median)
    }
    const rest = others.map((name) => `${name} ${figureOf(name)}`)
    return [what, `**${figureOf(own)} ${unit}**`, rest.join(', ')]
  })
  return table(['', 'this package', 'others'], rows)
}

/**
 * Returns the name of a row without the form of its input.
 *
 * @param {string} name
 */
const shortName = (name) => name.replace(/ \(.*| \+ JSON.*/, '')
