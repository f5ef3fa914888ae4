import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { ConfigurationError, SpendLimitError, type VerificationClient } from '../../src/index.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { printed } from '../support/printed.ts'
import { fail, refuseConnection, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

showOnlyOurWords()

const passed = succeed(standalone(ageCheck()))
const age = (client: VerificationClient, options = {}) => client.checks.age({ dob: '1990-01-01', bands: [18] }, options)
const never = () => new Promise<void>(() => {})

it.each([
  ['POST', '/api/v2/liveness', true],
  ['POST', '/api/v2/Liveness', true],
  ['POST', '/api/v2//liveness', true],
  ['POST', '/api/v2/%6Civeness', true],
  ['POST', '/api/v2/liveness/', true],
  ['PUT', '/api/v2/liveness', true],
  ['POST', '/api/v3/anything', true],
  ['POST', '/api/v2/Session', true],
  ['DELETE', '/api/v2/anything', true],
  ['POST', '/api/v2/session', false],
  ['GET', '/api/v2/anything', false],
  ['GET', '/api/v2/session', false],
] as const)('%s %s may be charged: %s', async (method, path, isBilled) => {
  const { fetch, requests } = scriptedFetch()
  const { client } = testClient({ fetch, beforeBillable: () => Promise.reject(new Error('enough')) })
  const body = { body: { image: { base64: '/9j/' } } }
  const call = client.request({ method, path, ...(method !== 'GET' && isBilled && body) })

  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )

  expect(error instanceof SpendLimitError).toBe(isBilled)
  expect(requests).toHaveLength(isBilled ? 0 : 1)
})

it('runs once for a call, before its first attempt, whatever its retries', async () => {
  const order: unknown[] = []
  const steps = [refuseConnection, fail(503, 'x'), passed].map((step) => (signal: AbortSignal) => {
    order.push('attempt')
    return step(signal)
  })
  const { client } = testClient({
    fetch: scriptedFetch(...steps).fetch,
    beforeBillable: async (call) => void order.push(call),
  })

  await age(client, { spendKey: 'user-42', idempotencyKey: 'age-7' })

  const call = { operation: 'checks.age', spendKey: 'user-42', idempotencyKey: 'age-7' }
  expect(order).toEqual([call, 'attempt', 'attempt', 'attempt'])
})

/** As the limiters of rate-limiter-flexible reject. */
class RateLimiterRes {
  readonly msBeforeNext = 60_000
}
const refusal = new RateLimiterRes()

it.each([
  ['an error', new RangeError('the words of Ada'), { name: 'RangeError' }],
  ['an object', refusal, { name: 'RateLimiterRes' }],
  ['a string', 'the words of Ada', { name: 'string' }],
  ['an error of this package', new ConfigurationError({ message: 'x' }), { code: 'configuration' }],
])('a call is stopped by %s that the hook throws or rejects with', async (_, thrown, cause) => {
  const throws = () => {
    throw thrown
  }
  for (const beforeBillable of [throws, () => Promise.reject(thrown)]) {
    const { fetch, requests } = scriptedFetch(passed)
    const { client } = testClient({ fetch, beforeBillable })

    const error = await thrownBy(age(client, { spendKey: 'ada@example.com', idempotencyKey: 'key-1' }))

    expect(error).toBeInstanceOf(SpendLimitError)
    const facts = { operation: 'checks.age', spendKey: 'ada@example.com', idempotencyKey: 'key-1', attempts: 0 }
    expect(error).toMatchObject({ ...facts, cause })
    if (!(thrown instanceof ConfigurationError)) expect(error).toHaveProperty('original', thrown)
    expect(String(error)).toMatch(
      /^SpendLimitError: checks\.age: beforeBillable stopped the call \(\w+\): see cause\. Nothing was sent, so you can call again\.$/,
    )
    expect(printed(error)).not.toMatch(/ada/i)
    expect(requests).toEqual([])
  }
})

it.each([undefined, false, null, refusal])('%j that the hook returns has no effect', async (returned) => {
  for (const beforeBillable of [() => returned, async () => returned]) {
    const { client } = testClient({ fetch: scriptedFetch(passed).fetch, beforeBillable })
    await age(client)
  }
})

it.each([
  ['deadlineMs', { deadlineMs: 200, timeoutMs: 50 }, 200],
  ['timeoutMs', { timeoutMs: 50 }, 50],
])('a hook that never settles ends with %s, and leaves no timer and no listener', async (limit, options, limitMs) => {
  const { fetch, requests } = scriptedFetch(passed)
  const { client, advance, pending, timers } = testClient({ fetch, beforeBillable: never, ...options })
  const { signal } = new AbortController()

  const call = thrownBy(age(client, { signal }))
  await advance(limitMs)

  expect(await call).toMatchObject({
    message: `checks.age: beforeBillable outlasted ${limit} (${limitMs} ms). Nothing was sent, so you can call again.`,
    code: 'timeout',
    limit,
    limitMs,
    mayHaveArrived: false,
    attempts: 0,
  })
  expect(timers).toEqual([limitMs])
  expect(pending()).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(requests).toEqual([])
})

it('a hook counts toward the deadline of the call, also if it blocks the process', async () => {
  const { fetch, requests } = scriptedFetch(passed)
  const { client, passTime } = testClient({ fetch, deadlineMs: 100, beforeBillable: () => passTime(100) })

  expect(await thrownBy(age(client))).toMatchObject({ limit: 'deadlineMs', mayHaveArrived: false, attempts: 0 })
  expect(requests).toEqual([])
})

it('an abort while the hook runs ends the call, and a later rejection of the hook is handled', async () => {
  const unhandled: unknown[] = []
  const listener = (reason: unknown) => void unhandled.push(reason)
  process.on('unhandledRejection', listener)
  onTestFinished(() => void process.off('unhandledRejection', listener))
  const { fetch, requests } = scriptedFetch(passed)
  const controller = new AbortController()
  let reject: (reason: Error) => void = () => {}
  const beforeBillable = () => new Promise<void>((_, fails) => (reject = fails))
  const { client, pending } = testClient({ fetch, beforeBillable })

  const call = thrownBy(age(client, { signal: controller.signal }))
  controller.abort()
  reject(new Error('too late'))

  expect(await call).toMatchObject({ code: 'aborted', mayHaveArrived: false, attempts: 0 })
  await setImmediate()
  expect(unhandled).toEqual([])
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(pending()).toBe(0)
  expect(requests).toEqual([])
})

it('a call that is aborted before it begins does not run the hook', async () => {
  let runs = 0
  const { client } = testClient({ beforeBillable: () => void runs++ })

  expect(await thrownBy(age(client, { signal: AbortSignal.abort() }))).toMatchObject({ code: 'aborted' })
  expect(runs).toBe(0)
})

it('a hook may call its own client', async () => {
  const operations: string[] = []
  const { fetch, requests } = scriptedFetch(passed)
  const { client } = testClient({
    fetch,
    beforeBillable: async ({ operation }) => {
      operations.push(operation)
      if (operation === 'checks.age') await client.checks.location({ latitude: 1, longitude: 1 })
    },
  })

  await age(client)

  expect(operations).toEqual(['checks.age', 'checks.location'])
  expect(requests).toHaveLength(2)
})

it('a thousand calls at once share nothing: none waits for another whose hook never settles', async () => {
  const { fetch, requests } = scriptedFetch(passed)
  let left = 100
  const { client, pending } = testClient({
    fetch,
    beforeBillable: async ({ spendKey }) => {
      if (spendKey === 'lost') await never()
      if (left-- <= 0) throw refusal
    },
  })
  const { signal } = new AbortController()
  void age(client, { spendKey: 'lost' }).catch(() => {})

  const results = await Promise.allSettled(Array.from({ length: 1_000 }, () => age(client, { signal })))

  const stopped = results.filter((result) => result.status === 'rejected')
  expect(stopped).toHaveLength(900)
  for (const { reason } of stopped) expect(reason).toMatchObject({ code: 'spend_limit', original: refusal })
  expect(requests).toHaveLength(100)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(pending()).toBe(1)
})

it.each([true, {}, 'log'])('rejects a beforeBillable that is %j', (beforeBillable) => {
  const create = () => testClient({ beforeBillable: beforeBillable as never })
  expect(create).toThrow('VerificationClient: beforeBillable must be a function')
})

it.each(['', 'x'.repeat(256)])('rejects a spendKey of another form', async (spendKey) => {
  const error = await thrownBy(age(testClient().client, { spendKey }))
  expect(String(error)).toContain('spendKey must be a string of 1 to 255 characters')
})

it('a request that may be charged accepts a spendKey, and a call that is not rejects it', async () => {
  const options: object = { spendKey: 'ada' }
  const spendKeys: unknown[] = []
  const { client } = testClient({
    fetch: scriptedFetch().fetch,
    beforeBillable: ({ spendKey }) => spendKeys.push(spendKey),
  })

  await client.request({ method: 'POST', path: '/api/v3/anything' }, options)

  expect(spendKeys).toEqual(['ada'])
  for (const call of [
    client.request({ method: 'GET', path: '/api/v3/anything' }, options),
    client.sessions.list({}, options),
  ])
    await expect(call).rejects.toMatchObject({ code: 'invalid_params' })
})
