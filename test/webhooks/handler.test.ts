import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  createWebhookHandler,
  memoryStore,
  type Store,
  StoreError,
  verifyWebhook,
  type WebhookHandlerOptions,
} from '../../src/webhooks.ts'
import { aDelivery, clockAt, secret, signedAt, signedBytes } from '../support/webhook.ts'

const now = clockAt(signedAt)

beforeEach(() => {
  vi.useFakeTimers({ now: signedAt * 1000 })
})

afterEach(() => {
  vi.useRealTimers()
})

function aHandler(options: Partial<WebhookHandlerOptions> = {}) {
  const handled: string[] = []
  const errors: unknown[] = []
  const handler = createWebhookHandler({
    secret,
    now,
    on: { 'verification.approved': (event) => void handled.push(event.event_id) },
    onError: (error) => void errors.push(error),
    ...options,
  })
  return { handler, handled, errors }
}

/** A callback that runs until the test lets it go. */
function held() {
  let release = () => {}
  let fail = (_: Error) => {}
  const running = new Promise<void>((resolve, reject) => {
    release = resolve
    fail = reject
  })
  return { callback: () => running, release: () => release(), fail: (error: Error) => fail(error) }
}

it('an event runs its callback, and is answered 200', async () => {
  const { handler, handled } = aHandler()
  const result = await handler.handle(await aDelivery())
  expect(result).toMatchObject({ status: 200, outcome: 'processed', event: { event_id: 'evt_1' } })
  expect(handled).toEqual(['evt_1'])
})

it('an event that comes again runs nothing, and is answered 200', async () => {
  const { handler, handled } = aHandler()
  await handler.handle(await aDelivery())
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'duplicate' })
  expect(handled).toEqual(['evt_1'])
})

it('each event is handled once for itself', async () => {
  const { handler, handled } = aHandler()
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({ event_id: 'evt_2' }))
  expect(handled).toEqual(['evt_1', 'evt_2'])
})

it('two processes that share a store run one callback for one event', async () => {
  const store = memoryStore()
  const processes = Array.from({ length: 8 }, () => aHandler({ store }))
  const delivery = await aDelivery()
  const results = await Promise.all(processes.map(({ handler }) => handler.handle(delivery)))
  expect(processes.flatMap(({ handled }) => handled)).toEqual(['evt_1'])
  expect(results.filter(({ outcome }) => outcome === 'processed')).toHaveLength(1)
})

it('an event whose callback is running elsewhere is answered 503 with Retry-After', async () => {
  const store = memoryStore()
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
])('under a lease of %d ms an event is asked for again after %s seconds', async (leaseMs, seconds) => {
  const busy = aHandler({
    leaseMs,
    store: { ...memoryStore(), set: async () => false, get: async () => 'claim:x' },
  })
  expect((await busy.handler.handle(await aDelivery())).headers).toEqual({ 'retry-after': seconds })
  const failing = aHandler({ leaseMs, store: broken('set') })
  expect((await failing.handler.handle(await aDelivery())).headers).toEqual({ 'retry-after': seconds })
})

it('a callback that throws frees the event and answers 500, and the next delivery runs it again', async () => {
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
  expect(result.headers).toBeUndefined()
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(calls).toBe(2)
})

it('a callback that outlasts its lease keeps it while its process lives', async () => {
  const store = memoryStore()
  const slow = held()
  const first = aHandler({ store, leaseMs: 60_000, on: { 'verification.approved': slow.callback } })
  const second = aHandler({ store })
  const delivery = await aDelivery()
  const running = first.handler.handle(delivery)
  for (let minute = 0; minute < 10; minute++) {
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await second.handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  }
  slow.release()
  expect(await running).toMatchObject({ outcome: 'processed' })
  expect(second.handled).toEqual([])
})

/** A store that a process can no longer reach after its claim: what a crash looks like from outside. */
const cutOff = (store: Store): Store => ({
  ...store,
  compareAndSet: () => new Promise(() => {}),
  compareAndDelete: () => new Promise(() => {}),
})

it('an event whose process died is taken over when its lease ends', async () => {
  const store = memoryStore()
  const dead = aHandler({
    store: cutOff(store),
    leaseMs: 60_000,
    on: { 'verification.approved': held().callback },
  })
  const alive = aHandler({ store })
  const delivery = await aDelivery()
  void dead.handler.handle(delivery)
  await vi.advanceTimersByTimeAsync(59_999)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  await vi.advanceTimersByTimeAsync(1)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('a lease is renewed for its length, not for ever: also after renewals a dead process is succeeded', async () => {
  const store = memoryStore()
  let renewals = 2
  const dying: Store = {
    ...store,
    compareAndSet: (...args) => (renewals-- > 0 ? store.compareAndSet(...args) : new Promise(() => {})),
  }
  const dead = aHandler({ store: dying, leaseMs: 60_000, on: { 'verification.approved': held().callback } })
  const alive = aHandler({ store })
  const delivery = await aDelivery()
  void dead.handler.handle(delivery)
  await vi.advanceTimersByTimeAsync(99_999)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  await vi.advanceTimersByTimeAsync(1)
  expect(await alive.handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('an event whose lease ended with nobody taking over is remembered as handled', async () => {
  const store = memoryStore()
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

it('a process that lost its lease cannot mark the event as done', async () => {
  const store = memoryStore()
  const slow = held()
  const late = aHandler({
    store: {
      ...store,
      compareAndSet: async (key, expected, value, options) =>
        expected !== value && store.compareAndSet(key, expected, value, options),
    },
    on: { 'verification.approved': slow.callback },
  })
  const successor = held()
  const other = aHandler({ store, on: { 'verification.approved': successor.callback } })
  const delivery = await aDelivery()
  const losing = late.handler.handle(delivery)
  await vi.advanceTimersByTimeAsync(60_000)
  const winning = other.handler.handle(delivery)
  slow.release()
  expect(await losing).toMatchObject({ status: 200, outcome: 'processed' })
  expect(late.errors).toEqual([expect.any(StoreError)])
  // Were it marked as done, this one would be a duplicate.
  expect(await aHandler({ store }).handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  successor.fail(new Error('no'))
  expect(await winning).toMatchObject({ outcome: 'failed' })
})

/** A callback in whose time another process takes the event over. */
const overtaken = (store: Store, ends: () => unknown) => async () => {
  await store.set('webhook:evt_1', 'claim:another')
  return ends()
}

it('a lease that another process has taken is told when the callback ends', async () => {
  const store = memoryStore()
  const { handler, errors } = aHandler({ store, on: { 'verification.approved': overtaken(store, () => {}) } })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(errors).toEqual([
    expect.objectContaining({ name: 'StoreError', message: expect.stringContaining('lease') }),
  ])
  expect(await store.get('webhook:evt_1')).toBe('claim:another')
})

it('a lease that another process has taken is told beside the failure of the callback, and stays with it', async () => {
  const store = memoryStore()
  const boom = new Error('boom')
  const failing = overtaken(store, () => Promise.reject(boom))
  const { handler, errors } = aHandler({ store, on: { 'verification.approved': failing } })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 500, error: boom })
  expect(errors).toEqual([expect.any(StoreError), boom])
  expect(await store.get('webhook:evt_1')).toBe('claim:another')
})

it.each([
  ['no', () => Promise.resolve(false)],
  ['a failure', () => Promise.reject(new Error('connection lost'))],
])('a renewal that is answered with %s after the end says nothing of the lease', async (_, answer) => {
  const store = memoryStore()
  const slow = held()
  const renewal = held()
  const late: Store = {
    ...store,
    compareAndSet: (key, expected, value, options) =>
      expected === value
        ? renewal.callback().then(answer)
        : store.compareAndSet(key, expected, value, options),
  }
  const { handler, errors } = aHandler({ store: late, on: { 'verification.approved': slow.callback } })
  const running = handler.handle(await aDelivery())
  await vi.advanceTimersByTimeAsync(20_000)
  slow.release()
  await running
  renewal.release()
  await vi.advanceTimersByTimeAsync(0)
  expect(errors).toEqual([])
})

it('where timers are plain numbers, an event is handled all the same', async () => {
  vi.spyOn(globalThis, 'setInterval').mockReturnValue(1 as never)
  const { handler, handled } = aHandler()
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('a handled event is remembered for retainMs', async () => {
  const { handler, handled } = aHandler({ retainMs: 5_000 })
  const delivery = await aDelivery()
  await handler.handle(delivery)
  await vi.advanceTimersByTimeAsync(4_999)
  await handler.handle(delivery)
  expect(handled).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  await handler.handle(delivery)
  expect(handled).toHaveLength(2)
})

it('a lease that is lost while the callback runs is told at once and once, and renewed no more', async () => {
  const store = memoryStore()
  const slow = held()
  let renewals = 0
  const losing: Store = {
    ...store,
    compareAndSet: async () => {
      renewals++
      return false
    },
  }
  const { handler, errors } = aHandler({
    store: losing,
    leaseMs: 60_000,
    on: { 'verification.approved': slow.callback },
  })
  const running = handler.handle(await aDelivery())
  await vi.advanceTimersByTimeAsync(20_000)
  expect(errors).toEqual([expect.any(StoreError)])
  await vi.advanceTimersByTimeAsync(600_000)
  expect(renewals).toBe(1)
  slow.release()
  expect(await running).toMatchObject({ status: 200, outcome: 'processed' })
  expect(errors).toHaveLength(1)
})

it('a renewal that fails is told, and tried again', async () => {
  const store = memoryStore()
  const slow = held()
  let failures = 1
  const flaky: Store = {
    ...store,
    compareAndSet: async (...args) => {
      if (failures-- > 0) throw new Error('connection lost')
      return store.compareAndSet(...args)
    },
  }
  const first = aHandler({
    store: flaky,
    leaseMs: 60_000,
    on: { 'verification.approved': slow.callback },
  })
  const delivery = await aDelivery()
  const running = first.handler.handle(delivery)
  await vi.advanceTimersByTimeAsync(90_000)
  expect(first.errors).toEqual([expect.any(StoreError)])
  expect(await aHandler({ store }).handler.handle(delivery)).toMatchObject({ outcome: 'in_progress' })
  slow.release()
  expect(await running).toMatchObject({ outcome: 'processed' })
  expect(await aHandler({ store }).handler.handle(delivery)).toMatchObject({ outcome: 'duplicate' })
})

it('a claim that the client of a store wrote twice is one claim', async () => {
  const store = memoryStore()
  const { handler, handled } = aHandler({
    store: { ...store, set: async (...args) => (await store.set(...args)) && store.set(...args) },
  })
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('a claim that ends just as it is looked at is tried again, but not for ever', async () => {
  let tries = 0
  const restless: Store = {
    ...memoryStore(),
    set: async () => {
      tries++
      return false
    },
    get: async () => null,
  }
  const { handler, handled } = aHandler({ store: restless })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 503, outcome: 'in_progress' })
  expect(tries).toBe(3)
  expect(handled).toEqual([])
})

it.each([
  ['set', () => {}, { status: 503, outcome: 'failed' }],
  ['compareAndSet', () => {}, { status: 200, outcome: 'processed' }],
  ['compareAndDelete', () => Promise.reject(new Error('boom')), { status: 500, outcome: 'failed' }],
] as const)(
  'a store whose %s throws where it should reject is no different',
  async (operation, callback, result) => {
    const throwing = () => {
      throw new Error('connection lost')
    }
    const { handler, errors } = aHandler({
      store: { ...memoryStore(), [operation]: throwing },
      on: { 'verification.approved': callback },
    })
    expect(await handler.handle(await aDelivery())).toMatchObject(result)
    expect(errors).toContainEqual(expect.any(StoreError))
  },
)

it('a store that throws at a renewal is told, and the process lives', async () => {
  const slow = held()
  const throwing = () => {
    throw new Error('connection lost')
  }
  const { handler, errors } = aHandler({
    store: { ...memoryStore(), compareAndSet: throwing },
    on: { 'verification.approved': slow.callback },
  })
  const running = handler.handle(await aDelivery())
  await vi.advanceTimersByTimeAsync(20_000)
  expect(errors).toEqual([expect.any(StoreError)])
  slow.release()
  expect(await running).toMatchObject({ outcome: 'processed' })
})

const broken = (operation: keyof Store): Store => ({
  ...memoryStore(),
  [operation]: async () => {
    throw new Error('connection lost')
  },
})

it('a store that fails before the callback is answered 503, and nothing runs', async () => {
  const { handler, handled, errors } = aHandler({ store: broken('set') })
  expect(await handler.handle(await aDelivery())).toMatchObject({
    status: 503,
    outcome: 'failed',
    error: expect.any(StoreError),
  })
  expect(handled).toEqual([])
  expect(errors).toEqual([expect.any(StoreError)])
})

it('a store that fails after the callback is told, and the answer is 200: it did run', async () => {
  const { handler, handled, errors } = aHandler({ store: broken('compareAndSet') })
  expect(await handler.handle(await aDelivery())).toMatchObject({ status: 200, outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
  expect(errors).toEqual([expect.any(StoreError)])
})

it('a store that cannot free the event does not hide why the callback failed', async () => {
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
])('an event with %s goes to onTestEvent only, once', async (_, more) => {
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

it('a test event without onTestEvent runs nothing', async () => {
  const { handler, handled } = aHandler()
  expect(await handler.handle(await aDelivery({ test: true }))).toMatchObject({
    status: 200,
    outcome: 'test',
  })
  expect(handled).toEqual([])
})

it.each(['verification.declined', 'verification.suspended', 'toString', '__proto__'])(
  'an event of type %s without a callback goes to onUnhandled, answered 200',
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

it('an event that nothing was there for is not remembered: a callback added later still hears of it', async () => {
  const store = memoryStore()
  const delivery = await aDelivery({ type: 'verification.declined' })
  await aHandler({ store }).handler.handle(delivery)
  const later = aHandler({ store, on: { 'verification.declined': () => {} } })
  expect(await later.handler.handle(delivery)).toMatchObject({ outcome: 'processed' })
})

it('a refused delivery runs nothing, claims nothing, and onError hears why', async () => {
  const { handler, handled, errors } = aHandler({ store: broken('set') })
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  expect(await handler.handle({ body, headers })).toMatchObject({ status: 400, outcome: 'rejected' })
  expect(handled).toEqual([])
  expect(errors).toEqual([expect.objectContaining({ reason: 'signature_mismatch' })])
})

it("a clock that throws is our failure and not the sender's: 500, so that the event comes again", async () => {
  const broken = new Error('no clock')
  const { handler, handled, errors } = aHandler({
    now: () => {
      throw broken
    },
  })
  const result = await handler.handle(await aDelivery())
  expect(result).toEqual({ status: 500, outcome: 'failed', error: broken })
  expect(errors).toEqual([broken])
  expect(handled).toEqual([])
})

it('of a delivery only body and headers count: it cannot bring its own secret, tolerance or clock', async () => {
  const { handler, handled } = aHandler()
  const forged = { ...(await aDelivery({}, { secret: 'forged' })), secret: 'forged' }
  expect(await handler.handle(forged)).toMatchObject({ status: 400, outcome: 'rejected' })
  const old = { ...(await aDelivery({}, { timestamp: 1 })), toleranceSeconds: 1e12, now: clockAt(1) }
  expect(await handler.handle(old)).toMatchObject({ status: 400, outcome: 'rejected' })
  expect(handled).toEqual([])
})

it('options are read once: what happens to them later changes nothing', async () => {
  const secrets = [secret]
  const on: { 'verification.approved'?: () => void } = { 'verification.approved': () => {} }
  const { handler } = aHandler({ secret: secrets, on })
  secrets[0] = 'other'
  delete on['verification.approved']
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'processed' })
})

it.each(['é', 'e'])('a body of %s over maxBodyBytes is answered 413', async (letter) => {
  const { body, headers } = await aDelivery({ vendor_data: letter.repeat(500) })
  const { handler } = aHandler({ maxBodyBytes: Buffer.byteLength(body) - 1 })
  expect(await handler.handle({ body, headers })).toMatchObject({ status: 413, outcome: 'rejected' })
  expect(await handler.handle({ body: Buffer.from(body), headers })).toMatchObject({ status: 413 })
  expect((await handler.fetch(request(body, headers))).status).toBe(413)
})

it.each(['é', 'e'])('a body of %s of just maxBodyBytes is taken', async (letter) => {
  const { body, headers } = await aDelivery({ vendor_data: letter.repeat(500) })
  const exact = () => aHandler({ maxBodyBytes: Buffer.byteLength(body) }).handler
  expect(await exact().handle({ body, headers })).toMatchObject({ status: 200 })
  expect(await exact().handle({ body: Buffer.from(body), headers })).toMatchObject({ status: 200 })
  expect((await exact().fetch(request(body, headers))).status).toBe(200)
})

it.each([
  [
    'throws',
    () => {
      throw new Error('logger down')
    },
  ],
  ['rejects', () => Promise.reject(new Error('logger down'))],
])('an onError that %s changes no answer', async (_, onError) => {
  const { handler } = aHandler({ onError: onError as () => void })
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  expect(await handler.handle({ body, headers })).toMatchObject({ status: 400 })
})

it('onError hears which event it was, where there was one', async () => {
  const heard: [unknown, object][] = []
  const boom = new Error('boom')
  const { handler } = aHandler({
    on: { 'verification.approved': () => Promise.reject(boom) },
    onError: (error, context) => void heard.push([error, context]),
  })
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({}, { secret: 'forged' }))
  expect(heard).toEqual([
    [boom, { event: expect.objectContaining({ event_id: 'evt_1' }) }],
    [expect.objectContaining({ reason: 'signature_mismatch' }), {}],
  ])
  expect(heard[1]?.[1]).not.toHaveProperty('event')
})

it('no timer is left once an event is handled', async () => {
  const { handler } = aHandler()
  await handler.handle(await aDelivery())
  await handler.handle(await aDelivery({ event_id: 'evt_2', type: 'verification.declined' }))
  expect(vi.getTimerCount()).toBe(0)
})

it.each([
  { secret: '' },
  { secret: [] },
  { toleranceSeconds: -1 },
  { toleranceSeconds: Number.NaN },
  { leaseMs: 0 },
  { leaseMs: 1.5 },
  { leaseMs: 2 ** 31 },
  { retainMs: -1 },
  { maxBodyBytes: 1.5 },
  { on: undefined },
  { on: null },
  { on: { 'verification.approved': 'unlock' } },
])('the options %j are refused by name when the handler is made', (options) => {
  const [name] = Object.keys(options)
  const make = () => aHandler(options as Partial<WebhookHandlerOptions>)
  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(new RegExp(`^${name}\\b.* must `))
})

it('a lease as long as a timer can be, and a callback that is not there, are options that work', async () => {
  const { handler } = aHandler({ leaseMs: 2 ** 31 - 1, on: { 'verification.approved': undefined } })
  expect(await handler.handle(await aDelivery())).toMatchObject({ outcome: 'unhandled' })
})

type Body = string | Uint8Array | ReadableStream<Uint8Array> | null

const request = (body: Body, headers: Record<string, string> = {}, method = 'POST') =>
  new Request('https://app.example.com/webhooks', { method, headers, body, duplex: 'half' } as RequestInit)

it('as a fetch it answers 200 to an event and names the outcome', async () => {
  const { handler, handled } = aHandler()
  const { body, headers } = await aDelivery()
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({ outcome: 'processed' })
  expect(handled).toEqual(['evt_1'])
})

it('as a fetch it puts a body together that comes in pieces', async () => {
  const { handler, handled } = aHandler()
  const { body, headers } = await aDelivery({ vendor_data: 'x'.repeat(1_000) })
  const bytes = Buffer.from(body)
  const pieces = [bytes.subarray(0, 7), bytes.subarray(7, 500), bytes.subarray(500, 900), bytes.subarray(900)]
  expect((await handler.fetch(request(ReadableStream.from(pieces), headers))).status).toBe(200)
  expect(handled).toEqual(['evt_1'])
})

it('as a fetch it refuses a request without a body as no event', async () => {
  const { handler } = aHandler()
  const { headers } = await signedBytes('')
  const response = await handler.fetch(request(null, headers))
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'invalid_payload' })
})

it('as a fetch it tells a forger no more than the reason', async () => {
  const { handler } = aHandler()
  const { body, headers } = await aDelivery({}, { secret: 'forged' })
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(400)
  expect(await response.json()).toEqual({ outcome: 'rejected', reason: 'signature_mismatch' })
})

it('as a fetch it tells the sender nothing of a callback that failed', async () => {
  const { handler } = aHandler({
    on: { 'verification.approved': () => Promise.reject(new Error('secret detail')) },
  })
  const { body, headers } = await aDelivery()
  const response = await handler.fetch(request(body, headers))
  expect(response.status).toBe(500)
  expect(await response.text()).toBe('{"outcome":"failed"}')
})

it('as a fetch it tells the sender nothing of an error of ours in a callback', async () => {
  const { handler } = aHandler({
    on: { 'verification.approved': () => verifyWebhook({ body: '', headers: {}, secret }) },
  })
  const { body, headers } = await aDelivery()
  expect(await (await handler.fetch(request(body, headers))).text()).toBe('{"outcome":"failed"}')
})

it('as a fetch it reads no more of a body than maxBodyBytes, whatever content-length says', async () => {
  let pulled = 0
  let cancelled = false
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1024))
    },
    cancel() {
      cancelled = true
    },
  })
  const { handler } = aHandler({ maxBodyBytes: 4096 })
  const response = await handler.fetch(request(endless, { 'content-length': '10' }))
  expect(response.status).toBe(413)
  expect(pulled).toBeLessThan(8)
  expect(cancelled).toBe(true)
})

it.each([
  ['rejects', () => Promise.reject(new Error('reset'))],
  ['never ends', () => new Promise<void>(() => {})],
])('as a fetch it answers 413 also where cancelling the body %s', async (_, cancel) => {
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1024)),
    cancel,
  })
  const { handler, errors } = aHandler({ maxBodyBytes: 4096 })
  expect((await handler.fetch(request(endless))).status).toBe(413)
  expect(errors).toEqual([
    expect.objectContaining({
      reason: 'body_too_large',
      message: expect.stringMatching(/maxBodyBytes \(4096\)/),
    }),
  ])
})

it('as a fetch it refuses a request whose body was read before, and says how to mend it', async () => {
  const { handler, errors } = aHandler()
  const { body, headers } = await aDelivery()
  const read = request(body, headers)
  await read.json()
  expect(await (await handler.fetch(read)).json()).toEqual({ outcome: 'rejected', reason: 'body_not_raw' })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('request.text()') })])
})

it('as a fetch it answers 400 to a body that breaks off', async () => {
  const { handler, errors } = aHandler()
  const broken = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(new Error('reset'))
    },
  })
  expect((await handler.fetch(request(broken))).status).toBe(400)
  expect(errors).toEqual([
    expect.objectContaining({ reason: 'body_incomplete', message: expect.stringMatching(/broke off/) }),
  ])
})

it('as a fetch it takes POST only', async () => {
  const { handler } = aHandler()
  const response = await handler.fetch(request(null, {}, 'GET'))
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST')
})
