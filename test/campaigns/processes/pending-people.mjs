// Starts verifications of many people, and reconciles them. The service is in this process, and the same in all: every
// session is approved as soon as it exists, and no webhook says so.
import { createVerificationManager } from 'identity-service-sdk'
import { handleRequests, sharedStore } from './shared-store.mjs'

const atOnce = 64
const unused = async () => {
  throw new Error('this is not called')
}
const decision = {
  decision: 'APPROVED',
  status: 'APPROVED',
  decided_at: '2026-01-01T00:00:00Z',
  checks: Array.from({ length: 12 }, () => ({
    type: 'liveness',
    status: 'passed',
    data: { name: 'Åsa 日本' },
  })),
}
const sessions = {
  create: async (/** @type {{ vendor_data?: string }} */ { vendor_data }) => ({
    session_id: `sess_${vendor_data}`,
    url: `https://id.example.test/s/${vendor_data}`,
    expires_at: '2099-01-01T00:00:00Z',
  }),
  decision: async () => decision,
  list: unused,
  retrieve: unused,
  updateStatus: unused,
}
const verifications = createVerificationManager({
  client: { sessions: /** @type {never} */ (sessions) },
  store: await sharedStore(),
  session: { workflow_id: 'wf_1' },
})

/**
 * @param {number} from
 * @param {number} to
 */
async function start(from, to) {
  let next = from
  const lane = async () => {
    while (next < to) await verifications.start(`person-${next++} Åsa 日本`)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

handleRequests(async (/** @type {{ start?: [number, number], reconcile?: true, count?: true }} */ request) => {
  if (request.start) return start(...request.start)
  if (request.count) return verifications.count('open')
  return verifications.reconcile({ olderThanMs: 0, concurrency: atOnce })
})
