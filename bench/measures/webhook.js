// What a webhook costs: the signature of a body of bytes checked, and the event in it, for bodies of three sizes.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { byMode } from '../harness/arguments.js'
import { builtEntry } from '../harness/own.js'
import { ratioGroup, ratioOf } from '../harness/ratio-group.js'
import { writeResult } from '../harness/result.js'
import { inRounds } from '../harness/rounds.js'
import { webhookPeers } from '../harness/webhook-peers.js'

const { signWebhook, verifyWebhook, verifyWebhookSignature } =
  /** @type {typeof import('identity-service-sdk/webhooks')} */ (await import(builtEntry('webhooks').href))
const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

/** @param {(() => unknown)} work */
const repeated = (work) => async (/** @type {number} */ times) => {
  for (let i = 0; i < times; i++) await work()
}

/**
 * An event as long as wanted: what makes one long is the portrait.
 *
 * @param {number} bytes
 */
function eventOf(bytes) {
  const event = (/** @type {string} */ portrait) => ({
    event_id: 'evt_1',
    type: 'verification.approved',
    session_id: 'sess_1',
    status: 'APPROVED',
    vendor_data: 'user-42',
    occurred_at: '2026-01-01T00:00:00Z',
    decision: {
      status: 'APPROVED',
      decision: 'APPROVED',
      decided_at: '2026-01-01T00:00:00Z',
      checks: [
        {
          type: 'id_verification',
          status: 'passed',
          score: 0.99,
          data: { fields: { full_name: 'Ann Other', country: 'US' }, portrait },
          error: null,
        },
        {
          type: 'liveness',
          status: 'passed',
          score: 1,
          data: { live_score: 1, result: 'live' },
          error: null,
        },
        {
          type: 'face_match',
          status: 'passed',
          score: 0.98,
          data: { similarity: 0.98, threshold: 0.95 },
          error: null,
        },
      ],
    },
  })
  return event('A'.repeat(bytes - JSON.stringify(event('')).length))
}

/** @type {import('../harness/result.js').Group[]} */
const groups = []
/** @type {import('../harness/result.js').Target[]} */
const targets = []
for (const kib of [1, 20, 200]) {
  const delivery = await signWebhook({ event: eventOf(kib * 1024), secret })
  const body = Buffer.from(delivery.body)
  const { headers } = delivery
  const bare = () => {
    const mac = createHmac('sha256', secret).update(`${headers['x-svc-timestamp']}.`).update(body).digest()
    if (!timingSafeEqual(mac, Buffer.from(String(headers['x-svc-signature']), 'hex')))
      throw new Error('not signed')
    return JSON.parse(body.toString())
  }
  const rows = {
    'node:crypto + JSON.parse': bare,
    'node:crypto + JSON.parse again': bare,
    verifyWebhook: () => verifyWebhook({ body, headers, secret }),
    verifyWebhookSignature: () => verifyWebhookSignature({ body, headers, secret }),
    ...(await webhookPeers(delivery.body)),
  }
  const measured = await inRounds(
    Object.fromEntries(Object.entries(rows).map(([name, work]) => [name, repeated(work)])),
    { rounds: byMode(21, 81), blockMs: byMode(10, 25) },
  )
  groups.push(
    ratioGroup(`${kib} KiB`, measured, {
      own: ['verifyWebhook', 'verifyWebhookSignature'],
      work: 'webhook',
      longest: 6,
    }),
  )
  targets.push({
    what: `verifyWebhook of a Buffer of ${kib} KiB against node:crypto + JSON.parse`,
    most: kib === 1 ? 1.25 : 1.1,
    measured: ratioOf(measured, 'verifyWebhook'),
    unit: 'x',
  })
}

writeResult('webhook', {
  title: 'CPU of a webhook',
  what: 'CPU to check the signature of a webhook and read its event, as a multiple of node:crypto and JSON.parse.',
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
