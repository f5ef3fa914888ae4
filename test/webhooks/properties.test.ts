import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  createWebhookHandler,
  isSdkError,
  signWebhook,
  verifyWebhook,
  verifyWebhookSignature,
} from '../../src/webhooks.ts'
import { tried, tries } from '../attack/size.ts'
import { aDelivery, anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'

const now = clockAt(signedAt)
const text = (body: string | Uint8Array) => new TextDecoder().decode(typeof body === 'string' ? undefined : body)

/** The bytes with one of them changed. */
const changeAt = (bytes: Uint8Array, place: number, by: number) => {
  const changed = new Uint8Array(bytes)
  const index = place % changed.length
  changed[index] = ((changed[index] as number) + by) % 256
  return changed
}

const aChange = fc.record({ place: fc.nat(), by: fc.integer({ min: 1, max: 255 }) })

it('accepts a signed event with any other content', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (later) => {
      const event = anEvent({ later })
      const delivery = await signWebhook({ event, secret, timestamp: signedAt })
      const sent = JSON.parse(JSON.stringify(event), (name, value) => (name === '__proto__' ? undefined : value))
      await expect(verifyWebhook({ ...delivery, secret, now })).resolves.toEqual(sent)
    }),
  )
})

it('rejects a change of any byte of the body', async () => {
  const { body, headers } = await aDelivery({ vendor_data: 'Zoë' })
  await fc.assert(
    fc.asyncProperty(aChange, async ({ place, by }) => {
      const changed = changeAt(Buffer.from(body), place, by)
      await expect(verifyWebhook({ body: changed, headers, secret, now })).rejects.toMatchObject({
        reason: 'signature_mismatch',
      })
    }),
  )
})

it.each(['x-svc-timestamp', 'x-svc-signature'])('rejects any change of %s', async (name) => {
  const { body, headers } = await aDelivery()
  await fc.assert(
    fc.asyncProperty(aChange, async ({ place, by }) => {
      const value = Buffer.from(changeAt(Buffer.from(headers[name] as string), place, by)).toString('latin1')
      const verified = verifyWebhook({ body, headers: { ...headers, [name]: value }, secret, now })
      await expect(verified).rejects.toMatchObject({ code: 'webhook_refused' })
    }),
  )
})

/** For each property below. */
const hostileRuns = tries(500, 20_000)

const hostile = fc.record({
  body: fc.oneof(fc.anything(), fc.string(), fc.uint8Array(), fc.json()),
  headers: fc.oneof(
    fc.anything(),
    fc.record(
      {
        'x-svc-timestamp': fc.oneof(fc.anything(), fc.constant(String(signedAt))),
        'x-svc-signature': fc.oneof(
          fc.anything(),
          fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 }),
        ),
        'x-svc-event-id': fc.anything(),
      },
      { requiredKeys: [] },
    ),
  ),
})

it('throws only errors of this package, for any input', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, fc.anything(), async (delivery, anySecret) => {
      for (const one of [secret, anySecret]) {
        const params = { ...delivery, secret: one, now } as Parameters<typeof verifyWebhook>[0]
        for (const error of await Promise.all(
          [verifyWebhook, verifyWebhookSignature].map((verify) => verify(params).catch((thrown: unknown) => thrown)),
        )) {
          expect(isSdkError(error)).toBe(true)
        }
      }
    }),
    { numRuns: hostileRuns },
  )
})

it('rejects any signed body that is not an event as an invalid payload, without a crash', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.uint8Array(), fc.string()), async (body) => {
      const { headers } = await signWebhook({ body, secret, timestamp: signedAt })
      const error: unknown = await verifyWebhook({ body, headers, secret, now }).catch((thrown: unknown) => thrown)
      expect(error, text(body)).toMatchObject({ reason: 'invalid_payload' })
    }),
    { numRuns: hostileRuns },
  )
})

it('the handler returns a result for any input, and never rejects', async () => {
  const handler = createWebhookHandler({ secret, now, onTestEvent: () => {}, onError: () => {} })
  await fc.assert(
    fc.asyncProperty(hostile, async (delivery) => {
      const result = await handler.handle(delivery as Parameters<typeof handler.handle>[0])
      expect(result).toMatchObject({ status: 400, outcome: 'rejected' })
    }),
    { numRuns: hostileRuns },
  )
  tried(3 * hostileRuns, 'hostile webhooks')
})
