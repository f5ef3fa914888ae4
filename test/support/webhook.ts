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

/** Headers that could be those of a signed delivery, whatever its body. */
export const plausibleHeaders = { 'x-svc-timestamp': String(signedAt), 'x-svc-signature': '0'.repeat(64) }

/** The same as the text of a request. */
export const plausibleHeaderLines = Object.entries(plausibleHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')

/** Headers that are enough to reject a delivery, and the response. */
export const rejectedHeaders: readonly [what: string, headers: object, status: number, reason: string][] = [
  ['no signature', { ...plausibleHeaders, 'x-svc-signature': undefined }, 400, 'missing_header'],
  ['no timestamp', { ...plausibleHeaders, 'x-svc-timestamp': undefined }, 400, 'missing_header'],
  ['a short signature', { ...plausibleHeaders, 'x-svc-signature': '0' }, 400, 'malformed_header'],
  ['a timestamp that is not one', { ...plausibleHeaders, 'x-svc-timestamp': 'now' }, 400, 'malformed_header'],
  [
    'a stale timestamp',
    { ...plausibleHeaders, 'x-svc-timestamp': String(signedAt - 301) },
    400,
    'timestamp_out_of_tolerance',
  ],
  ['a content-length above the limit', { ...plausibleHeaders, 'content-length': '4097' }, 413, 'body_too_large'],
]

/** A delivery with exactly these bytes as its body and a valid signature. */
export async function signedBytes(body: string | Uint8Array, eventId?: string) {
  const { headers } = await signWebhook({ body, secret, timestamp: signedAt })
  return { body, headers: eventId === undefined ? headers : { ...headers, 'x-svc-event-id': eventId } }
}
