// Misspelled on purpose: cspell:ignore aproved

import { setImmediate } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { timing } from '../../src/runtime/timing.ts'
import {
  ConfigurationError,
  createWebhookHandler,
  memoryStore,
  type Store,
  StoreError,
  verifyWebhook,
  type WebhookCallbacks,
  type WebhookEvent,
  type WebhookHandlerOptions,
} from '../../src/webhooks.ts'
import { manualClock } from '../support/timing.ts'
import {
  aDelivery,
  clockAt,
  plausibleHeaders,
  rejectedHeaders,
  secret,
  signedAt,
  signedBytes,
} from '../support/webhook.ts'

const now = clockAt(signedAt)

let clock = manualClock()

beforeEach(() => {
  clock = manualClock()
})

/** A store of the test's clock. */
const aStore = () => memoryStore({ now: () => new Date(clock.timing.now()) })

function aHandler(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const settings = {
    secret,
    now,
    on: { 'verification.approved': (event: WebhookEvent) => void handled.push(event.event_id) },
    onError: (error: unknown) => void errors.push(error),
    ...options,
    [timing]: clock.timing,
  }
  return { handler: createWebhookHandler(settings as WebhookHandlerOptions), handled, errors }
}

/** A callback that runs until the test calls `release` or `fail`. */
function held() {
  let release = () => {}
  let fail = (_: Error) => {}
  const running = new Promise<void>((resolve, reject) => {
    release = resolve
    fail = reject
  })
  return { callback: () => running, release: () => release(), fail: (error: Error) => fail(error) }
}

it('responds with 503 and Retry-After to an event that another process is handling', async () => {
  const store = aStore()
  const slow = held()
  const first = aHandler({ store, on: { 'verification.approved': slow.callback } })
  const second = aHandler({ store })
  const delivery = await aDelivery()
  const running = first.handler.handle(delivery)
  const result = await second.handler.handle(delivery)
  expect(result).toMatchObject({
    status: 503,
    outcome: 'in_progress',
    headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) },
  })
  slow.release()
  await running
  expect(await second.handler.handle(delivery)).toMatchObject({ outcome: 'duplicate' })
})

it.each([
  [60_000, '5'],
  [2_900, '2'],
  [10, '1'],
])('with a lease of %d ms, Retry-After is %s seconds', async (leaseMs, seconds) => {
  const busy = aHandler({
    leaseMs,
    store: { ...aStore(), set: async () => false, get: async () => 'claim:x' },
  })
  expect((await busy.handler.handle(await aDelivery())).headers).toEqual({ 'retry-after': seconds })
  const failing = aHandler({ leaseMs, store: broken('set') })
  expect((await failing.handler.handle(await aDelivery())).headers).toEqual({ 'retry-after': seconds })
})

it('releases the event and responds with 500 if the callback throws, and the next delivery runs it again', async () => {
  let calls = 0
  const boom = new Error('database down')
  const { handler, errors } = aHandler({
    on: {
      'verification.approved': () => {
        if (++calls === 1) throw boom
      },
    },
  })
  const result = await handler.handle(await aDelivery())
  expect(result).toMatchObject({ status: 500, outcome: 'failed', error: boom })
  expect(errors).toEqual([boom])
  expect(result.headers).toEqual({})
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(calls).toBe(2)
})

it.each([
  [0, 60_000],
  [2, 100_000],
])('takes over when the lease of a process that crashed after %d renewals ends', async (count, endsAt) => {
  const store = aStore()
  let renewals = count
  const dying: Store = {
    ...store,
    compareAndSet: (...args) => (renewals-- > 0 ? store.compareAndSet(...args) : new Promise(() => {})),
  }
  const dead = aHandler({ store: dying, leaseMs: 60_000, on: { 'verification.approved': held().callback } })
  const alive = aHandler({ store })
  const delivery = await aDelivery()
  void dead.handler.handle(delivery)
  await clock.advance(endsAt - 1)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  await clock.advance(1)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('marks an event as done if its lease ended and no other process took it over', async () => {
  const store = aStore()
  const { handler, handled, errors } = aHandler({
    store,
    on: {
      'verification.approved': async ({ event_id }) => {
        handled.push(event_id)
        await store.delete('webhook:evt_1')
      },
    },
  })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'duplicate' })
  expect(handled).toEqual(['evt_1'])
  expect(errors).toEqual([])
})

/** A callback that runs until another process has taken the event over. */
const takenOver = (store: Store, ends: () => unknown) => async () => {
  await store.set('webhook:evt_1', 'claim:another')
  return ends()
}

it('reports a lost lease when the callback ends', async () => {
  const store = aStore()
  const { handler, errors } = aHandler({ store, on: { 'verification.approved': takenOver(store, () => {}) } })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(errors).toEqual([
    expect.objectContaining({
      name: 'StoreError',
      message:
        'The lease of this event ended while its callback ran, so another process may run the callback too. ' +
        'Check the connection to the store, or raise leaseMs.',
    }),
  ])
  expect(await store.get('webhook:evt_1')).toBe('claim:another')
})

it('reports a lost lease in addition to the error of the callback, and leaves the event to its new holder', async () => {
  const store = aStore()
  const boom = new Error('boom')
  const failing = takenOver(store, () => Promise.reject(boom))
  const { handler, errors } = aHandler({ store, on: { 'verification.approved': failing } })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 500, error: boom })
  expect(errors).toEqual([expect.any(StoreError), boom])
  expect(await store.get('webhook:evt_1')).toBe('claim:another')
})

it.each([
  ['false', () => Promise.resolve(false)],
  ['an error', () => Promise.reject(new Error('connection lost'))],
])('ignores a renewal that ends with %s after the claim has ended', async (_, result) => {
  const store = aStore()
  const slow = held()
  const renewal = held()
  const late: Store = {
    ...store,
    compareAndSet: (key, expected, value, options) =>
      expected === value ? renewal.callback().then(result) : store.compareAndSet(key, expected, value, options),
  }
  const { handler, errors } = aHandler({ store: late, on: { 'verification.approved': slow.callback } })
  const running = handler.handle(await aDelivery())
  await clock.advance(20_000)
  slow.release()
  await running
  renewal.release()
  await clock.advance(0)
  expect(errors).toEqual([])
})

it('does not keep a process alive for a renewal', async () => {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const slow = held()
  const handler = createWebhookHandler({ secret, now, on: { 'verification.approved': slow.callback } })
  const running = handler.handle(await aDelivery())
  await setImmediate()
  // The timers before it limit operations of the store, which have ended.
  expect(timers.mock.results.at(-1)?.value.hasRef()).toBe(false)
  slow.release()
  await running
})

it('remembers a handled event for retainMs', async () => {
  const { handler, handled } = aHandler({ retainMs: 5_000, toleranceSeconds: 2.5 })
  const delivery = await aDelivery()
  await handler.handle(delivery)
  await clock.advance(4_999)
  await handler.handle(delivery)
  expect(handled).toHaveLength(1)
  await clock.advance(1)
  await handler.handle(delivery)
  expect(handled).toHaveLength(2)
})

it('claims an event again if its process was paused for longer than the lease', async () => {
  let pauses = 1
  const store = aStore()
  const paused: Store = {
    ...store,
    async set(...write) {
      const isSet = await store.set(...write)
      if (pauses-- > 0) clock.passTime(61_000)
      return isSet
    },
  }
  const { handler, handled } = aHandler({ store: paused })
  const response = handler.handle(await aDelivery())
  for (let tries = 0; tries < 10; tries++) await clock.advance(100)
  expect(await response).toMatchObject({ status: 200 })
  expect(handled).toHaveLength(1)
})

it('responds with 503 after a second in which each claim of the event ends between write and read', async () => {
  let tries = 0
  const restless: Store = {
    ...aStore(),
    set: async () => {
      tries++
      return false
    },
    get: async () => null,
  }
  const { handler, handled } = aHandler({ store: restless })
  const response = handler.handle(await aDelivery())
  for (let second = 0; second < 2; second += 0.1) await clock.advance(100)
  expect(await response).toMatchObject({ status: 503, outcome: 'in_progress' })
  expect(tries).toBeGreaterThan(1)
  expect(handled).toEqual([])
})

const broken = (operation: keyof Store): Store => ({
  ...aStore(),
  [operation]: async () => {
    throw new Error('connection lost')
  },
})

it('responds with 503 and runs nothing if the store fails before the callback', async () => {
  const { handler, handled, errors } = aHandler({ store: broken('set') })
  expect(await handler.handle(await aDelivery())).toMatchObject({
    status: 503,
    outcome: 'failed',
    error: {
      message: 'the store of webhook claims failed at set: connection lost',
      mayHaveHappened: true,
    },
  })
  expect(handled).toEqual([])
  expect(errors).toEqual([expect.any(StoreError)])
})

it('reports the error of the callback also if the store fails to release the event', async () => {
  const boom = new Error('boom')
  const { handler, errors } = aHandler({
    store: broken('compareAndDelete'),
    on: { 'verification.approved': () => Promise.reject(boom) },
  })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 500, error: boom })
  expect(errors).toEqual([expect.any(StoreError), boom])
})

it.each([
  ['test: true', { test: true }],
  ['a session id of the console', { session_id: 'sess_test_1' }],
])('passes an event with %s only to onTestEvent, once', async (_, more) => {
  const tested: string[] = []
  const unhandled: string[] = []
  const { handler, handled } = aHandler({
    onTestEvent: (event) => void tested.push(event.event_id),
    onUnhandled: (event) => void unhandled.push(event.event_id),
  })
  const delivery = await aDelivery(more)
  expect(await handler.handle(delivery)).toMatchObject({ status: 200, outcome: 'test' })
  expect(await handler.handle(delivery)).toMatchObject({ status: 200, outcome: 'duplicate' })
  expect([tested, handled, unhandled]).toEqual([['evt_1'], [], []])
})

it('runs nothing for a test event if there is no onTestEvent', async () => {
  const { handler, handled } = aHandler()
  expect(await handler.handle(await aDelivery({ test: true }))).toMatchObject({
    status: 200,
    outcome: 'test',
  })
  expect(handled).toEqual([])
})

it.each(['verification.declined', 'verification.suspended', 'toString', '__proto__'])(
  'passes an event of type %s without a callback to onUnhandled, and responds with 200',
  async (type) => {
    const unhandled: string[] = []
    const { handler, handled } = aHandler({ onUnhandled: (event) => void unhandled.push(event.type) })
    expect(await handler.handle(await aDelivery({ type }))).toMatchObject({
      status: 200,
      outcome: 'unhandled',
    })
    expect([unhandled, handled]).toEqual([[type], []])
  },
)

it('does not remember an event without a callback, so that a callback added later still runs', async () => {
  const store = aStore()
  const delivery = await aDelivery({ type: 'verification.declined' })
  await aHandler({ store }).handler.handle(delivery)
  const later = aHandler({ store, on: { 'verification.declined': () => {} } })
  expect(await later.handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('runs nothing and claims nothing for a rejected delivery, and calls onError with the reason', async () => {
  const { handler, handled, errors } = aHandler({ store: broken('set') })
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  expect(await handler.handle({ body, headers })).toMatchObject({ status: 400, outcome: 'rejected' })
  expect(handled).toEqual([])
  expect(errors).toEqual([expect.objectContaining({ reason: 'signature_mismatch' })])
})

it('responds with 500 if the clock throws, because that is not the fault of the sender', async () => {
  const broken = new Error('no clock')
  const { handler, handled, errors } = aHandler({
    now: () => {
      throw broken
    },
  })
  const result = await handler.handle(await aDelivery())
  expect(result).toEqual({ status: 500, outcome: 'failed', error: broken, event: undefined, headers: {} })
  expect(errors).toEqual([broken])
  expect(handled).toEqual([])
})

it('reads only body and headers of a delivery: it cannot replace the secret, the tolerance or the clock', async () => {
  const { handler, handled } = aHandler()
  const forged = { ...(await aDelivery({}, { secret: 'forged' })), secret: 'forged' }
  expect(await handler.handle(forged)).toMatchObject({ status: 400, outcome: 'rejected' })
  const old = { ...(await aDelivery({}, { timestamp: 1 })), toleranceSeconds: 1e12, now: clockAt(1) }
  expect(await handler.handle(old)).toMatchObject({ status: 400, outcome: 'rejected' })
  expect(handled).toEqual([])
})

it('reads the options once, so that later changes have no effect', async () => {
  const secrets = [secret]
  const on: { 'verification.approved'?: () => void } = { 'verification.approved': () => {} }
  const { handler } = aHandler({ secret: secrets, on })
  secrets[0] = 'other'
  delete on['verification.approved']
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'processed' })
})

it.each(['é', 'e'])('responds with 413 to a body of %s that is larger than maxBodyBytes', async (letter) => {
  const { body, headers } = await aDelivery({ vendor_data: letter.repeat(500) })
  const { handler } = aHandler({ maxBodyBytes: Buffer.byteLength(body) - 1 })
  expect(await handler.handle({ body, headers })).toMatchObject({ status: 413, outcome: 'rejected' })
  expect(await handler.handle({ body: Buffer.from(body), headers })).toMatchObject({ status: 413 })
  expect((await handler.fetch(request(body, headers))).status).toBe(413)
})

it.each(['é', 'e'])('accepts a body of %s of exactly maxBodyBytes', async (letter) => {
  const { body, headers } = await aDelivery({ vendor_data: letter.repeat(500) })
  const exact = () => aHandler({ maxBodyBytes: Buffer.byteLength(body) }).handler
  expect(await exact().handle({ body, headers })).toMatchObject({ status: 200 })
  expect(await exact().handle({ body: Buffer.from(body), headers })).toMatchObject({ status: 200 })
  expect((await exact().fetch(request(body, headers))).status).toBe(200)
})

it('passes the event to onError if there is one', async () => {
  const reported: [unknown, object][] = []
  const boom = new Error('boom')
  const { handler } = aHandler({
    on: { 'verification.approved': () => Promise.reject(boom) },
    onError: (error, context) => void reported.push([error, context]),
  })
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({}, { secret: 'forged' }))
  expect(reported).toEqual([
    [boom, { event: expect.objectContaining({ event_id: 'evt_1' }) }],
    [expect.objectContaining({ reason: 'signature_mismatch' }), {}],
  ])
  expect(reported[1]?.[1]).not.toHaveProperty('event')
})

it('leaves no timer behind after an event is handled', async () => {
  const { handler } = aHandler()
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({ event_id: 'evt_2', type: 'verification.declined' }))
  expect(clock.pending()).toBe(0)
})

it.each([
  { toleranceSeconds: -1 },
  { toleranceSeconds: Number.NaN },
  { leaseMs: 0 },
  { leaseMs: 1.5 },
  { leaseMs: 2 ** 31 },
  { retainMs: -1 },
  { maxBodyBytes: 1.5 },
  { onError: 'log' },
  { onUnhandled: null },
  { onTestEvent: {} },
  { now: 5 },
  { on: undefined },
  { on: null },
  { on: { 'verification.approved': 'unlock' } },
])('rejects the options %j when the handler is created, and names the option', (options) => {
  const [name] = Object.keys(options)
  const make = () => aHandler(options as Partial<WebhookHandlerOptions>)
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(new RegExp(`^createWebhookHandler: ${name}\\b.* must `))
})

it('accepts the longest lease that a timer can hold, and a callback that is undefined', async () => {
  const { handler } = aHandler({
    leaseMs: 2 ** 31 - 1,
    on: { 'verification.approved': undefined },
    onTestEvent: () => {},
  })
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'unhandled' })
})

/** A handler whose `on` has types that the package's own types do not list. */
const aHandlerOf = (on: object) => aHandler({ on: on as WebhookCallbacks })

it('reports a type of on that is not listed once, when the handler is created', async () => {
  const { handler, errors } = aHandlerOf({
    'verification.aproved': () => {},
    'verification.approved': () => {},
  })
  const message =
    'createWebhookHandler: on has a callback for "verification.aproved", which this version does not list. If that is a spelling ' +
    'mistake, the callback never runs. The listed types are verification.approved, verification.declined, ' +
    'verification.in_review, verification.abandoned, verification.expired.'
  expect(errors).toEqual([expect.objectContaining({ name: 'ConfigurationError', message })])
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({ event_id: 'evt_2' }))
  expect(errors).toHaveLength(1)
})

it('reports all types of on that are not listed in one error', () => {
  const { errors } = aHandlerOf({ approved: () => {}, toString: () => {} })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('"approved", "toString"') })])
})

it('reports no listed type, and no type whose callback is undefined', () => {
  expect(aHandlerOf({ 'verification.expired': () => {}, later: undefined }).errors).toEqual([])
})

it('creates the handler also if onError throws for a type of on that is not listed', () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const onError = () => {
    throw new Error('logger down')
  }
  const on = { 'verification.aproved': () => {} } as WebhookCallbacks
  expect(() => createWebhookHandler({ secret, on, onError })).not.toThrow()
})

it('runs the callback of a type that is not listed', async () => {
  const { handler } = aHandlerOf({ 'verification.suspended': () => {} })
  const delivery = await aDelivery({ type: 'verification.suspended' })
  expect(await handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('handle and fetch work as functions on their own', async () => {
  const { handle, fetch } = aHandler().handler
  const delivery = await aDelivery()
  expect(await handle(delivery)).toMatchObject({ outcome: 'processed' })
  expect((await fetch(request(delivery.body, delivery.headers))).status).toBe(200)
})

it('has headers in every result, so that a response needs no check of the outcome', async () => {
  const delivery = await aDelivery()
  const { handler } = aHandler()
  const unhandled = await aDelivery({ event_id: 'evt_2', type: 'verification.declined' })
  const results = [
    await handler.handle(delivery),
    await handler.handle(delivery),
    await handler.handle(unhandled),
    await aHandler({ onUnhandled: () => {} }).handler.handle(unhandled),
    await handler.handle(await aDelivery({ event_id: 'evt_3', test: true })),
    await handler.handle({ ...delivery, headers: {} }),
  ]
  expect(results.map(({ outcome, headers }) => [outcome, headers])).toEqual([
    ['processed', {}],
    ['duplicate', {}],
    ['unhandled', {}],
    ['unhandled', {}],
    ['test', {}],
    ['rejected', {}],
  ])
})

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

const request = (body: Body, headers: Record<string, string> = {}, method = 'POST') =>
  new Request('https://app.example.com/webhooks', { method, headers, body, duplex: 'half' } as RequestInit)

it('fetch responds with 200 and the outcome', async () => {
  const { handler, handled } = aHandler()
  const { body, headers } = await aDelivery()
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('fetch joins a body that arrives in chunks', async () => {
  const { handler, handled } = aHandler()
  const { body, headers } = await aDelivery({ vendor_data: 'x'.repeat(1_000) })
  const bytes = Buffer.from(body)
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 500), bytes.subarray(500, 900), bytes.subarray(900)]
  expect((await handler.fetch(request(ReadableStream.from(pieces), headers))).status).toBe(200)
  expect(handled).toEqual(['evt_1'])
})

it('fetch rejects a request without a body as an invalid payload', async () => {
  const { handler } = aHandler()
  const { headers } = await signedBytes('')
  const response = await handler.fetch(request(null, headers))
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'invalid_payload' })
})

it('fetch responds to a forged event with no more than the reason', async () => {
  const { handler } = aHandler()
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'signature_mismatch' })
})

it('fetch does not show the error of a callback to the sender', async () => {
  const { handler } = aHandler({
    on: { 'verification.approved': () => Promise.reject(new Error('secret detail')) },
  })
  const { body, headers } = await aDelivery()
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{"outcome":"failed"}')
})

it('fetch does not show an SdkError that a callback threw to the sender', async () => {
  const { handler } = aHandler({
    on: { 'verification.approved': () => verifyWebhook({ body: '', headers: {}, secret }) },
  })
  const { body, headers } = await aDelivery()
  expect(await (await handler.fetch(request(body, headers))).text()).toBe('{"outcome":"failed"}')
})

it('fetch stops reading a body at maxBodyBytes, for any content-length', async () => {
  let pulled = 0
  let canceled = false
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1024))
    },
    cancel() {
      canceled = true
    },
  })
  const { handler } = aHandler({ maxBodyBytes: 4096 })
  const response = await handler.fetch(request(endless, { ...plausibleHeaders, 'content-length': '10' }))
  expect(response.status).toBe(413)
  expect(pulled).toBeLessThan(8)
  expect(canceled).toBe(true)
})

it.each([
  ['rejects', () => Promise.reject(new Error('reset'))],
  ['never ends', () => new Promise<void>(() => {})],
])('fetch responds with 413 also if canceling the body %s', async (_, cancel) => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
    cancel,
  })
  const { handler, errors } = aHandler({ maxBodyBytes: 4096 })
  expect((await handler.fetch(request(endless, plausibleHeaders))).status).toBe(413)
  expect(errors).toEqual([
    expect.objectContaining({
      reason: 'body_too_large',
      message: expect.stringMatching(/maxBodyBytes \(4096\)/),
    }),
  ])
})

it('fetch rejects a request whose body was already read, and the message names the fix', async () => {
  const { handler, errors } = aHandler()
  const { body, headers } = await aDelivery()
  const read = request(body, headers)
  await read.json()
  expect(await (await handler.fetch(read)).json()).toEqual({ outcome: 'rejected', reason: 'body_not_raw' })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('request.text()') })])
})

it.each([
  [new Error('reset'), 400, 'body_incomplete', /connection may have been closed/],
  [Object.assign(new Error('limit'), { status: 413 }), 413, 'body_too_large', /limit of your framework/],
  [Object.assign(new Error('limit'), { statusCode: 413 }), 413, 'body_too_large', /limit of your framework/],
])('fetch says why a body that fails with %s was not received', async (thrown, status, reason, message) => {
  const { handler, errors } = aHandler()
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(thrown)
    },
  })
  expect((await handler.fetch(request(broken, plausibleHeaders))).status).toBe(status)
  expect(errors).toEqual([expect.objectContaining({ reason, message: expect.stringMatching(message) })])
})

it.each(rejectedHeaders)('fetch reads no byte of a request with %s', async (_, headers, status, reason) => {
  let pulled = 0
  let canceled = 0
  const body = new ReadableStream<Uint8Array>(
    { pull: () => void pulled++, cancel: () => void canceled++ },
    { highWaterMark: 0 },
  )
  const { handler, errors } = aHandler({ maxBodyBytes: 4096 })
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined)

  const response = await handler.fetch(request(body, Object.fromEntries(sent)))

  expect([response.status, await response.json()]).toEqual([status, { outcome: 'rejected', reason }])
  expect([pulled, canceled]).toEqual([0, 1])
  expect(errors).toMatchObject([{ reason }])
})

it('fetch accepts only POST', async () => {
  const { handler } = aHandler()
  const response = await handler.fetch(request(null, {}, 'GET'))
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
})

/** A request of a host that is not the platform's `Request`. */
const hostRequest = (members: object): Request => Object.assign(Object.create(null), { method: 'POST', ...members })

it.each<[what: string, headers: object, received: (bytes: number) => number, reason: string]>([
  ['a body that was read before', {}, () => 0, 'body_not_raw'],
  [
    'a body in chunks that was read before',
    { 'content-length': undefined, 'transfer-encoding': 'chunked' },
    () => 0,
    'body_not_raw',
  ],
  ['a body that was cut', {}, (bytes) => bytes - 1, 'body_incomplete'],
  ['a changed body', {}, (bytes) => bytes, 'signature_mismatch'],
  [
    'a body that was decompressed',
    { 'content-encoding': 'gzip', 'content-length': '9999' },
    (bytes) => bytes,
    'signature_mismatch',
  ],
])('%s is rejected for its own reason, although content-length stays', async (_, more, received, reason) => {
  const { handler, errors } = aHandler()
  const { body, headers } = await aDelivery()
  const length = Buffer.byteLength(body)
  const left = Buffer.from(body.replace('user-42', 'user-43')).subarray(0, received(length))
  const sent = Object.entries({ ...headers, 'content-length': String(length), ...more })
  const given = new Headers(sent.filter((entry): entry is [string, string] => entry[1] !== undefined))

  const byFetch = await handler.fetch(hostRequest({ bodyUsed: false, body: new Blob([left]).stream(), headers: given }))
  const byHandle = await handler.handle({ body: left, headers: Object.fromEntries(given) })

  expect(await byFetch.json()).toEqual({ outcome: 'rejected', reason })
  expect(byHandle).toMatchObject({ status: 400, error: { reason } })
  expect(errors).toHaveLength(2)
})

it('accepts a signed body, whatever its content-length is', async () => {
  const { handler } = aHandler()
  const { body, headers } = await aDelivery()
  const more = { ...headers, 'content-length': '4000' }

  expect(await handler.handle({ body, headers: more })).toMatchObject({ status: 200 })
})

const thrower = () => {
  throw new Error('the host: body already used')
}

it.each<[what: string, member: PropertyDescriptorMap, status: number]>([
  ['bodyUsed', { bodyUsed: { get: thrower } }, 400],
  ['body', { bodyUsed: { value: false }, body: { get: thrower } }, 400],
  ['headers', { headers: { get: thrower } }, 500],
  ['body, which is locked', { body: { value: { locked: true, getReader: thrower } } }, 400],
])('fetch responds if a host throws for %s', async (_, member, status) => {
  const { handler } = aHandler()
  const { headers } = await aDelivery()

  const response = await handler.fetch(Object.defineProperties(hostRequest({ headers: new Headers(headers) }), member))

  expect(response.status).toBe(status)
  if (status === 400) expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'body_not_raw' })
})
