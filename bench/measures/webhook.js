// Measures the verification of a webhook and the validation of its event, for decisions of three sizes.
import { byMode } from '../harness/arguments.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'

const names = [
  'node:crypto + JSON.parse',
  'node:crypto + JSON.parse (control)',
  'verifyWebhook',
  'verifyWebhookSignature',
  'octokit (text) + JSON.parse',
  'stripe (bytes)',
  'standardwebhooks (bytes)',
  'svix (bytes) + JSON.parse',
  'openai (text)',
  'clerk (Request)',
  'workos (parsed)',
]
const own = ['verifyWebhook', 'verifyWebhookSignature']
/** @type {import('../harness/result.js').Group[]} */
const groups = []
/** @type {import('../harness/result.js').Target[]} */
const targets = []
for (const kib of [1, 20, 200]) {
  const measured = await inRounds('webhook', names, {
    own,
    rounds: byMode(21, 81),
    blockMs: byMode(12, 30),
    settings: [String(kib)],
  })
  groups.push(ratioGroup(`${kib} KiB`, measured, { own, work: 'webhook', longest: 6 }))
  targets.push({
    what: `verifyWebhook of a Buffer of ${kib} KiB against node:crypto + JSON.parse`,
    most: kib === 1 ? 1.25 : 1.1,
    measured: ratioOf(measured, 'verifyWebhook'),
    unit: 'x',
  })
}

writeResult('webhook', {
  title: 'CPU of a webhook',
  what: 'CPU to check the signature of a webhook and read its event, a decision with many checks and names in many scripts, as a multiple of node:crypto and JSON.parse.',
  groups,
  targets,
  peers: [
    'stripe',
    'openai',
    '@workos-inc/node',
    'svix',
    'standardwebhooks',
    '@octokit/webhooks-methods',
    '@clerk/backend',
  ],
})
