// Misspelled on purpose: cspell:ignore aproved

import { expect, it, vi } from 'vitest'
import { timing } from '../../src/runtime/timing.ts'
import {
  ConfigurationError,
  createEventProcessor,
  createWebhookHandler,
  memoryStore,
  type Store,
  type WebhookEvent,
  type WebhookHandlerOptions,
} from '../../src/webhooks.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { manualClock } from '../support/timing.ts'
import { aDelivery, clockAt, secret, signedAt, signedBytes } from '../support/webhook.ts'

/** A handler without `onError` and `logger`, and the lines that it wrote to `console.error`. */
function aHandler(options: Partial<WebhookHandlerOptions> = {}) {
  const clock = manualClock()
  const print = vi.spyOn(console, 'error').mockReturnValue()
  const settings = {
    secret,
    now: clockAt(signedAt),
    onTestEvent: () => {},
    ...options,
    [timing]: clock.timing,
  }
  const lines = () => print.mock.calls.map((args) => args.join(' '))
  return { handler: createWebhookHandler(settings as WebhookHandlerOptions), clock, lines }
}

const failing = (error: unknown) => ({
  'verification.approved': () => {
    throw error
  },
})

it('writes a callback that throws to console.error at once, with the stack, if there is no onError and no logger', async () => {
  const { handler, lines } = aHandler({ on: failing(new TypeError('user is undefined')) })
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery())
  expect(lines()).toHaveLength(2)
  const [first, second = ''] = (lines()[0] ?? '').split('\n')
  expect(first).toBe(
    'identity-service-sdk: the callback for verification.approved failed: TypeError: user is undefined',
  )
  expect(second).toContain('failure-log.test.ts')
})

it.each([
  ['a logger', true],
  ['console.error', false],
])('an event id header that differs from the signed id is accepted, and written once to %s', async (_, isLogged) => {
  const { records, logger } = recordingLogger()
  const handled: string[] = []
  const errors: unknown[] = []
  const { handler, lines } = aHandler({
    on: { 'verification.approved': ({ event_id }) => void handled.push(event_id) },
    onError: (error) => void errors.push(error),
    ...(isLogged && { logger }),
  })

  for (const event_id of ['evt_1', 'evt_2']) {
    const { body, headers } = await aDelivery({ event_id })
    const result = await handler.handle({ body, headers: { ...headers, 'x-svc-event-id': 'another' } })
    expect(result).toMatchObject({ status: 200, outcome: 'processed' })
  }

  const note =
    'the x-svc-event-id header of a webhook differs from the event_id of the signed body, which identifies the event'
  expect([handled, errors]).toEqual([['evt_1', 'evt_2'], []])
  expect(records.filter(([level]) => level !== 'info')).toEqual(isLogged ? [['warn', note]] : [])
  expect(lines()).toEqual(isLogged ? [] : [`identity-service-sdk: ${note}`])
})

it.each([
  ['onTestEvent', { test: true }],
  ['onUnhandled', { type: 'verification.declined' }],
])('writes which callback failed: %s', async (name, more) => {
  const { handler, lines } = aHandler({ [name]: () => Promise.reject(new Error('boom')) })
  const { event } = (await handler.handle(await aDelivery(more))) as { event: WebhookEvent }
  expect(lines()).toEqual([
    expect.stringContaining(`identity-service-sdk: ${name} for ${event.type} failed: Error: boom\n`),
  ])
})

it('writes no message of the callback if errorDetail is safe, and no property of the error', async () => {
  const delivery = await aDelivery({
    vendor_data: 'ada@example.com',
    decision: {
      decision: null,
      checks: [{ type: 'age', data: { 'full "name"': 'Ada\nLovelace', born: 1815 } }],
    },
  })
  const on = {
    'verification.approved': (event: WebhookEvent) => {
      const told = `${JSON.stringify(event)} ${event.vendor_data} Ada\nLovelace`
      throw Object.assign(new Error(told), { detail: event.vendor_data, event })
    },
  }
  const { handler, lines } = aHandler({ on, errorDetail: 'safe' })
  const { logger, records } = recordingLogger()
  await handler.handle(delivery)
  await aHandler({ on, logger, errorDetail: 'safe' }).handler.handle(delivery)
  for (const written of [lines().join(), JSON.stringify(records)]) {
    expect(written).toContain('verification.approved')
    expect(written).toContain('its message is hidden: to see it, set SVC_ERROR_DETAIL=full')
    expect(written).not.toMatch(/ada@example|Lovelace|1815|evt_1|sess_1/)
  }
})

it('writes the failure for an event that is nested deeper than the call stack', async () => {
  const depth = 200_000
  const delivery = await aDelivery()
  const body = delivery.body.replace('"user-42"', `${'['.repeat(depth)}${']'.repeat(depth)}`)
  const { handler, lines } = aHandler({ on: failing(new Error('boom')) })
  await handler.handle(await signedBytes(body))
  expect(lines()).toHaveLength(1)
})

it('does not write the type of an event that is not a plain word', async () => {
  const { handler, lines } = aHandler({ onUnhandled: () => Promise.reject(new Error('boom')) })
  await handler.handle(await aDelivery({ type: 'a\nforged line' }))
  expect(lines().join()).toContain('onUnhandled for an event failed: Error: boom')
  expect(lines().join()).not.toContain('forged')
})

it('writes that a check of the callbacks, the verification of a webhook or an event failed', async () => {
  const { lines } = aHandler({ on: { 'verification.aproved': () => {} } as WebhookHandlerOptions['on'] })
  const now = () => {
    throw new Error('no clock')
  }
  await aHandler({ now }).handler.handle(await aDelivery())
  await createEventProcessor({ onTestEvent: () => {} }).process({} as WebhookEvent)
  expect(lines()).toEqual([
    expect.stringContaining('identity-service-sdk: a check of the webhook callbacks failed: '),
    expect.stringContaining('identity-service-sdk: the verification of a webhook failed: '),
    expect.stringContaining('identity-service-sdk: an event was rejected: '),
  ])
})

it('writes a store that fails, before and after the callback', async () => {
  const reset = () => Promise.reject(Object.assign(new Error('read evt_1'), { code: 'ECONNRESET' }))
  const store = (broken: Partial<Store>): Store => ({ ...memoryStore(), ...broken })
  const on = { 'verification.approved': () => {} }
  const cases = [
    ['set', 'the store of webhook claims failed at set (ECONNRESET): read evt_1 [cause: Error (ECONNRESET)]'],
    [
      'compareAndSet',
      'The event was handled, but it could not be marked as done (the store of webhook claims failed at ' +
        'compareAndSet (ECONNRESET): read evt_1). If it is delivered again after its lease has ended, its callback runs again. ' +
        'Check the connection to the store. [cause: StoreError (store_failed)]',
    ],
  ] as const
  for (const [operation, text] of cases) {
    const { handler, clock, lines } = aHandler({ on, store: store({ [operation]: reset }) })
    const handling = handler.handle(await aDelivery())
    await clock.advance(1_000)
    await handling
    expect(lines()).toEqual([
      expect.stringContaining(`the claim of verification.approved failed: StoreError (store_failed): ${text}`),
    ])
    vi.restoreAllMocks()
  }
})

it('writes rejections to console.error at most once a minute for each reason, and counts the others', async () => {
  const { handler, clock, lines } = aHandler()
  const forged = await aDelivery({}, { secret: 'forged' })
  for (let i = 0; i < 5; i++) await handler.handle(forged)
  await handler.handle({ ...forged, headers: {} })
  expect(lines()).toEqual([
    expect.stringContaining('a webhook was rejected: WebhookVerificationError (webhook_refused, signature_mismatch)'),
    expect.stringContaining('a webhook was rejected: WebhookVerificationError (webhook_refused, missing_header)'),
  ])
  await clock.advance(60_000)
  await handler.handle(forged)
  expect(lines()[2]).toContain('a webhook was rejected (and 4 more since the last message)')
  expect(lines().join()).not.toContain('user-42')
})

it('passes failures and rejections to logger instead, at the same pace', async () => {
  const { logger, records } = recordingLogger()
  const { handler, lines } = aHandler({ logger, on: failing(new TypeError('boom')) })
  await handler.handle(await aDelivery())
  const forged = await aDelivery({}, { secret: 'forged' })
  await handler.handle(forged)
  await handler.handle(forged)
  expect(records).toEqual([
    [
      'error',
      'the callback for verification.approved failed: TypeError: boom',
      { error: 'TypeError', stack: expect.stringContaining('failure-log.test.ts') },
    ],
    [
      'warn',
      expect.stringContaining('a webhook was rejected'),
      { error: 'WebhookVerificationError', code: 'webhook_refused', reason: 'signature_mismatch' },
    ],
  ])
  expect(lines()).toEqual([])
})

it('writes nothing to console.error if there is an onError, and passes everything to both onError and logger', async () => {
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const boom = new Error('boom')
  const { handler, lines } = aHandler({ onError, on: failing(boom) })
  await handler.handle(await aDelivery())
  await handler.handle({ ...(await aDelivery()), headers: {} })
  expect(errors).toEqual([boom, expect.objectContaining({ reason: 'missing_header' })])
  expect(lines()).toEqual([])
  const { logger, records } = recordingLogger()
  await aHandler({ onError, logger, on: failing(boom) }).handler.handle(await aDelivery())
  expect(errors).toHaveLength(3)
  expect(records).toHaveLength(1)
})

it.each([
  [
    'throws',
    (message: string) => {
      throw new Error(message)
    },
  ],
  ['rejects', (message: string) => Promise.reject(new Error(message))],
])('writes that onError %s, at most once a minute', async (_, end) => {
  const onError = (_: unknown, { event }: { event?: WebhookEvent }) => end(`logger down for ${event?.vendor_data}`)
  const { handler, clock, lines } = aHandler({ onError, on: failing(new Error('boom')) })
  for (let i = 0; i < 3; i++) expect(await handler.handle(await aDelivery())).toMatchObject({ status: 500 })
  await clock.advance(0)
  expect(lines()).toEqual([expect.stringContaining('onError threw: Error: logger down for user-42\n')])
})

it('rejects a logger without the four methods when the handler is created', () => {
  const logger = { error: () => {} }
  const make = () => aHandler({ logger: logger as never })
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow('logger must have the methods debug, info, warn and error')
})
