import { shown } from './chart.js'
import { table } from './tables.js'

/** @typedef {import('./result.js').Result} Result */

/** @typedef {{ what: string, file: string, group: string, figure: string, unit: string, own: string, others: readonly string[] }} Line */

/** @type {(length: string) => Line} */
const webhookOf = (length) => ({
  what: `CPU of a webhook of ${length}`,
  file: 'webhook',
  group: length,
  figure: 'ratio',
  unit: 'x',
  own: 'verifyWebhook',
  others: [
    'octokit (text) + JSON.parse',
    'stripe (bytes)',
    'svix (bytes)',
    'openai (text)',
    'workos (parsed)',
  ],
})

/**
 * What is told of each result in one line: whose row is ours, and which stand for others.
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
  webhookOf('1 KiB'),
  webhookOf('200 KiB'),
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
    group: 'Import, over an empty process',
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
    others: ['form-data as it is', 'fetch + FormData', 'openai files.create'],
  },
]

/**
 * One line a result, for readers who want no more.
 *
 * @param {(file: string) => Result} read
 */
export function summaryOf(read) {
  const rows = lines.map(({ what, file, group, figure, unit, own, others }) => {
    const found = read(file).groups.find(({ title }) => title === group)
    const figureOf = (/** @type {string} */ name) => {
      const value = found?.rows.find((row) => row.name === name)?.figures[figure]
      if (value === undefined || value === null) throw new Error(`${file} has no ${figure} of ${name}`)
      return shown(typeof value === 'number' ? value : value.median)
    }
    const rest = others.map((name) => `${name.replace(/ \(.*| \+ JSON.*/, '')} ${figureOf(name)}`)
    return [what, `**${figureOf(own)} ${unit}**`, rest.join(', ')]
  })
  return table(['', 'this package', 'others'], rows)
}
