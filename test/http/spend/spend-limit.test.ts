import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../src/emulator.ts'
import {
  ConfigurationError,
  memoryStore,
  PaymentRequiredError,
  type RequestEvent,
  type SpendLimit,
  SpendLimitError,
  type Store,
  StoreError,
  type VerificationClient,
} from '../../../src/index.ts'
import { testClient } from '../../support/verification-client.ts'

const minute = 60_000
const image = new Uint8Array([0xff, 0xd8, 0xff])

/** Clients of one application, as separate processes would create them. */
function limited(
  limit: Partial<SpendLimit>,
  emulated: EmulatorOptions = {},
  timing: Pick<NonNullable<Parameters<typeof testClient>[0]>, 'random' | 'sleep'> = {},
) {
  const emulator = createEmulator({ seed: 1, ...emulated })
  const { baseUrl, apiKey } = emulator.options.verification
  let network = true
  const fetch = async (...call: Parameters<typeof globalThis.fetch>) => {
    if (!network) throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
    return emulator.fetch(new Request(...call))
  }
  const events: RequestEvent[] = []
  const spendLimit = { calls: 3, perMs: minute, ...limit }
  let elapsedMs = 0
  const makeOnClock = () =>
    testClient({
      baseUrl,
      apiKey,
      fetch,
      maxRetries: 0,
      spendLimit,
      ...timing,
      now: () => elapsedMs,
      wallClock: () => Date.UTC(2026, 0, 1) + elapsedMs,
      onEvent: (event) => events.push(event),
    })
  const make = () => makeOnClock().client
  return {
    emulator,
    events,
    make,
    makeOnClock,
    passTime: (ms: number) => {
      elapsedMs += ms
    },
    disconnect: (isDisconnected: boolean) => {
      network = !isDisconnected
    },
  }
}

const check = (client: VerificationClient) => client.checks.liveness({ image })
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  )

it('rejects a billable call over the limit without sending it', async () => {
  const { make, emulator, events } = limited({ calls: 3 })
  const client = make()
  for (let n = 0; n < 3; n++) await check(client)
  events.length = 0

  const error = await failureOf(check(client))

  expect(error).toBeInstanceOf(SpendLimitError)
  expect(error).toMatchObject({ code: 'spend_limit', reason: 'limit_reached', attempts: 0 })
  expect(error).toMatchObject({ operation: 'checks.liveness', idempotencyKey: expect.any(String) })
  expect(emulator.ledger).toHaveLength(3)
  expect(emulator.requests).toHaveLength(3)
  expect(events.map(({ type }) => type)).toEqual(['error'])
})

it('sends calls that are not billable even if the limit is reached', async () => {
  const { make } = limited({ calls: 1 })
  const client = make()
  await check(client)

  await expect(client.sessions.list()).resolves.toEqual([])
})

it('allows the next call after exactly retryAfterMs', async () => {
  const { make, passTime } = limited({ calls: 2 })
  const client = make()
  await check(client)
  passTime(20_000)
  await check(client)
  const { retryAfterMs } = (await failureOf(check(client))) as SpendLimitError

  expect(retryAfterMs).toBe(41_000)
  passTime(retryAfterMs - 1)
  expect(await failureOf(check(client))).toBeInstanceOf(SpendLimitError)
  passTime(1)
  await check(client)
  expect(await failureOf(check(client))).toBeInstanceOf(SpendLimitError)
})

it.each([
  [100, 350],
  [30_000, 30_500],
  [minute, 61_000],
  [24 * 60 * minute, 24 * 60 * minute + 1_000],
])('counts a call of a limit per %i ms for %i ms', async (perMs, countedMs) => {
  const { make, passTime } = limited({ calls: 1, perMs })
  const client = make()
  passTime(1_500)
  await check(client)

  expect(await failureOf(check(client))).toMatchObject({ retryAfterMs: countedMs })
  passTime(countedMs - 1)
  expect(await failureOf(check(client))).toMatchObject({ retryAfterMs: 1 })
  passTime(1)
  expect(await failureOf(check(client))).toBeUndefined()
})

it('throws StoreError after 100 failed writes to a contended store', async () => {
  let writes = 0
  const store: Store = {
    ...memoryStore(),
    set: async () => {
      writes++
      return false
    },
  }
  const waits: number[] = []
  const { make, emulator } = limited(
    { store },
    {},
    { random: () => 0.5, sleep: async (ms) => void waits.push(ms) },
  )

  const error = await failureOf(check(make()))

  expect(error).toBeInstanceOf(StoreError)
  expect((error as Error).message).toBe(
    'checks.liveness: the spend limit could not be written, because other processes kept changing it. Nothing was sent, so you can call again.',
  )
  expect(writes).toBe(100)
  expect(waits).toHaveLength(99)
  expect(waits.slice(0, 3)).toEqual([0.5, 1, 1.5])
  expect(Math.max(...waits)).toBe(25)
  expect(emulator.requests).toHaveLength(0)
})

it('shares one limit between concurrent calls and clients with the same store and name', async () => {
  const store = memoryStore()
  const { make, emulator } = limited({ calls: 20, store })
  const clients = [make(), make(), make()]

  const results = await Promise.all(
    Array.from({ length: 60 }, (_, n) => failureOf(check(clients[n % 3] as VerificationClient))),
  )

  expect(results.filter((error) => error === undefined)).toHaveLength(20)
  expect(results.filter((error) => error instanceof SpendLimitError)).toHaveLength(40)
  expect(emulator.ledger).toHaveLength(20)
})

it('keeps limits with different spans separate, because a value in the store has one lifetime', async () => {
  const store = memoryStore()
  const [hourly, daily] = [
    limited({ calls: 1, perMs: 60 * minute, store }),
    limited({ calls: 1, perMs: 24 * 60 * minute, store }),
  ]
  await check(hourly.make())

  await expect(check(daily.make())).resolves.toBeDefined()
  expect(await failureOf(check(hourly.make()))).toBeInstanceOf(SpendLimitError)
})

it.each([
  [100, 20],
  [20, 100],
])('never allows more than the higher limit while processes change from %i to %i calls', async (from, to) => {
  const store = memoryStore()
  const clients = [limited({ calls: from, store }).make(), limited({ calls: to, store }).make()]
  let sent = 0
  for (let n = 0; n < 300; n++)
    if ((await failureOf(check(clients[n % 2] as VerificationClient))) === undefined) sent++

  expect(sent).toBeLessThanOrEqual(100)
})

it('keeps limits with different names separate', async () => {
  const store = memoryStore()
  const [ours, theirs] = [
    limited({ calls: 1, store, name: 'ours' }),
    limited({ calls: 1, store, name: 'theirs' }),
  ]
  await check(ours.make())

  await expect(check(theirs.make())).resolves.toBeDefined()
  expect(await failureOf(check(ours.make()))).toBeInstanceOf(SpendLimitError)
})

it('counts a call once, even if it takes several attempts', async () => {
  const { make, emulator } = limited({ calls: 2 })
  emulator.faults.add({ match: 'checks.liveness', status: 503, times: 2 })
  const client = make()
  await client.checks.liveness({ image }, { maxRetries: 2 })

  expect(await failureOf(check(client))).toBeUndefined()
  expect(await failureOf(check(client))).toBeInstanceOf(SpendLimitError)
})

it('does not count a call that could not be sent', async () => {
  const spendLimit = { calls: 1, perMs: minute }
  const { client } = testClient({
    baseUrl: 'http://127.0.0.1:1',
    fetch: undefined,
    maxRetries: 0,
    spendLimit,
  })
  onTestFinished(() => client.close())

  for (let n = 0; n < 3; n++) {
    expect(await failureOf(check(client))).toMatchObject({ code: 'connection_failed', mayHaveArrived: false })
  }
})

it('counts a call with an unknown outcome, and a call that the service rejected', async () => {
  const { make, disconnect, emulator } = limited({ calls: 2 })
  const client = make()
  disconnect(true)
  await failureOf(check(client))
  disconnect(false)
  emulator.faults.add({ match: 'checks.liveness', status: 422 })
  await failureOf(check(client))

  expect(await failureOf(check(client))).toBeInstanceOf(SpendLimitError)
})

it('sends one call at a time after a 402, as a probe of the wallet', async () => {
  const { make, passTime, emulator } = limited({ calls: 100 })
  const [client, other] = [make(), make()]
  emulator.faults.add({ match: 'checks.liveness', status: 402, times: 2 })
  expect(await failureOf(check(client))).toBeInstanceOf(PaymentRequiredError)

  expect(await failureOf(check(client))).toMatchObject({ reason: 'payment_required', retryAfterMs: 30_000 })
  expect(await failureOf(check(other))).toBeInstanceOf(PaymentRequiredError)
  passTime(29_999)
  expect(await failureOf(check(client))).toBeInstanceOf(SpendLimitError)
  passTime(1)
  const probes = await Promise.all([
    failureOf(check(client)),
    failureOf(check(client)),
    failureOf(check(client)),
  ])
  expect(probes.filter((error) => error === undefined)).toHaveLength(1)
  expect(probes.filter((error) => error instanceof SpendLimitError)).toHaveLength(2)
  expect(await failureOf(check(client))).toBeUndefined()
})

it('two concurrent 402 responses delay other calls no longer than one', async () => {
  const { make, emulator } = limited({ calls: 100 })
  emulator.faults.add({ match: 'checks.liveness', status: 402, times: 2 })
  const client = make()
  await Promise.all([failureOf(check(client)), failureOf(check(client))])

  expect(await failureOf(check(client))).toMatchObject({ reason: 'payment_required', retryAfterMs: 30_000 })
})

it('an error other than 402 stops no calls', async () => {
  const { make, emulator } = limited({ calls: 100 })
  emulator.faults.add({ match: 'checks.liveness', status: 422 })
  const client = make()
  await failureOf(check(client))

  expect(await failureOf(check(client))).toBeUndefined()
})

it('sends calls at once if the 402 is long past', async () => {
  const { make, passTime, emulator } = limited({ calls: 100 })
  emulator.faults.add({ match: 'checks.liveness', status: 402 })
  const client = make()
  await failureOf(check(client))
  // The 402 is recorded after the call has returned.
  await setImmediate()
  passTime(24 * 60 * minute)

  const results = await Promise.all([failureOf(check(client)), failureOf(check(client))])

  expect(results).toEqual([undefined, undefined])
})

it('doubles the wait after each probe that gets a 402, up to ten minutes', async () => {
  const { make, passTime, emulator } = limited({ calls: 100, probeAfterMs: 100_000 })
  const client = make()
  emulator.faults.add({ match: 'checks.liveness', status: 402, times: 6 })
  const waits: number[] = []
  for (let n = 0; n < 5; n++) {
    expect(await failureOf(check(client))).toBeInstanceOf(PaymentRequiredError)
    const { retryAfterMs } = (await failureOf(check(client))) as SpendLimitError
    waits.push(retryAfterMs)
    passTime(retryAfterMs)
  }

  expect(waits).toEqual([100_000, 200_000, 400_000, 600_000, 600_000])
})

it.each(['get', 'set'] as const)('sends nothing if the store of the limit fails at %s', async (step) => {
  const store: Store = {
    ...memoryStore(),
    [step]: async () => {
      throw new Error('connection lost')
    },
  }
  const { make, emulator } = limited({ store })

  const error = await failureOf(check(make()))

  expect(error).toBeInstanceOf(StoreError)
  expect(error).toMatchObject({
    idempotencyKey: expect.any(String),
    message: expect.stringMatching(/store of the spend limit/),
  })
  expect(emulator.requests).toHaveLength(0)
})

it.each([
  ['60000:0', '{"slots":7}'],
  ['60000:0', '{"id":"a","calls":-1,"writes":1}'],
  ['60000:0', 'null'],
  ['60000:1', 'not JSON'],
  ['empty', '{"waitMs":"long"}'],
  ['empty', '{"waitMs":0}'],
])('sends nothing if the store contains an invalid record under %s: %s', async (part, value) => {
  const store = memoryStore()
  await store.set(`spend-limit:${part}:default`, value)
  const { make, emulator } = limited({ store })

  const error = await failureOf(check(make()))

  expect(error).toBeInstanceOf(StoreError)
  expect((error as Error).message).toMatch(/another value/)
  expect(emulator.requests).toHaveLength(0)
})

it('ends a wait for the store at the timeout, and releases the slot', async () => {
  let open = () => {}
  const wait = new Promise<void>((resolve) => {
    open = resolve
  })
  const inner = memoryStore()
  let advance = async (_: number) => {}
  const get = (key: string) => {
    void advance(20)
    return wait.then(() => inner.get(key))
  }
  const { makeOnClock, emulator } = limited({ calls: 1, store: { ...inner, get } })
  const { client, ...clock } = makeOnClock()
  advance = clock.advance

  expect(await failureOf(client.checks.liveness({ image }, { timeoutMs: 20 }))).toMatchObject({
    code: 'timeout',
  })
  open()
  await setImmediate()
  expect(await failureOf(check(client))).toBeUndefined()
  expect(emulator.ledger).toHaveLength(1)
})

it.each([
  { calls: 0 },
  { calls: 1.5 },
  { calls: '5' as never },
  { perMs: 0 },
  { perMs: Number.NaN },
  { probeAfterMs: -1 },
  { probeAfterMs: 600_001 },
  { name: '' },
  { name: 7 as never },
  { store: {} as Store },
  { store: null as never },
])('rejects a spend limit of %o', (limit) => {
  const { make } = limited(limit)

  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(new RegExp(`^VerificationClient: spendLimit\\.${Object.keys(limit)[0]} must be `))
  expect(make).toThrow(`spendLimit.${Object.keys(limit)[0]}`)
})
