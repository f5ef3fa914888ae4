import { signWebhook } from '../../src/webhooks.ts'

export const secret = 'whsec_test_4f1d9a'

/** The time of these tests, in seconds since the epoch. */
export const signedAt = 1_767_225_600

export const clockAt = (seconds: number) => () => new Date(seconds * 1000)

/** An event in the documented form. */
export const anEvent = (more: object = {}) => ({
  event_id: 'evt_1',
  type: 'verification.approved',
  session_id: 'sess_1',
  status: 'APPROVED',
  vendor_data: 'user-42',
  decision: { status: 'APPROVED', decision: 'APPROVED', decided_at: '2026-01-01T00:00:00Z', checks: [] },
  occurred_at: '2026-01-01T00:00:00Z',
  ...more,
})

/** A delivery that is signed at the time of these tests. */
export async function aDelivery(more: object = {}, settings: { secret?: string; timestamp?: number } = {}) {
  return signWebhook({ event: anEvent(more), secret, timestamp: signedAt, ...settings })
}

/** A delivery with exactly these bytes as its body and a valid signature. */
export async function signedBytes(body: string | Uint8Array, eventId?: string) {
  const { headers } = await signWebhook({ body, secret, timestamp: signedAt })
  return { body, headers: eventId === undefined ? headers : { ...headers, 'x-svc-event-id': eventId } }
}
