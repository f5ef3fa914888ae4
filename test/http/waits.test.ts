import { expect, it } from 'vitest'
import { ApiError, TimeoutError } from '../../src/errors.ts'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { fail, breakConnection, respond, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const aged = succeed(standalone(ageCheck()))
const busy = (retryAfter?: string) =>
  fail(503, 'engine_unreachable', retryAfter === undefined ? {} : { 'retry-after': retryAfter })
const working = (retryAfter?: string) =>
  fail(409, 'idempotency_in_progress', retryAfter === undefined ? {} : { 'retry-after': retryAfter })

const thrownBy = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  )

it('waits twice as long before each retry, up to 8 seconds', async () => {
  const { fetch } = scriptedFetch(busy())
  const { client, waits } = testClient({ fetch, maxRetries: 7 })

  await thrownBy(client.sessions.retrieve('s'))

  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
})

it('waits anything between nothing and that long', async () => {
  const chances = [0, 0.25, 0.999]
  const { fetch } = scriptedFetch(busy())
  const { client, waits } = testClient({ fetch, maxRetries: 3, random: () => chances.shift() ?? 1 })

  await thrownBy(client.sessions.retrieve('s'))

  expect(waits).toEqual([0, 250, 1998])
})

it.each([
  ['2', 2000],
  [' 2 ', 2000],
  ['0', 0],
  ['60', 60_000],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
  ['Thursday, 01-Jan-26 00:00:05 GMT', 5000],
  ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
])('waits as long as Retry-After says: %s', async (value, ms) => {
  const { fetch } = scriptedFetch(busy(value), succeed())
  const { client, waits } = testClient({ fetch, random: () => 0.5 })

  await client.sessions.retrieve('s')

  expect(waits).toEqual([ms])
})

it.each([
  '',
  'soon',
  '-1',
  '1.5',
  '5 s',
  '2026-01-01',
  '1e3',
  '0x10',
  'Foo, 99 Bar 2026',
  '5 Jan 2026',
  'T 5 Jan 2026',
])('takes no notice of a Retry-After that says nothing: %j', async (value) => {
  const { fetch } = scriptedFetch(busy(value))
  const { client, waits } = testClient({ fetch, random: () => 0.5, maxRetries: 1 })

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(waits).toEqual([250])
  expect(error).not.toHaveProperty('retryAfterMs')
})

it.each([
  ['61', 61_000],
  ['86400', 86_400_000],
  ['99999999999999999999', Number.MAX_SAFE_INTEGER],
  ['Thu, 01 Jan 2026 00:02:00 GMT', 120_000],
])('fails at once where Retry-After asks for more than a minute: %s', async (value, retryAfterMs) => {
  const { fetch, requests: given } = scriptedFetch(fail(429, 'rate_limited', { 'retry-after': value }))
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs, attempts: 1, retryable: true })
  expect(waits).toEqual([])
  expect(given).toHaveLength(1)
})

it('fails at once where Retry-After asks for more than the deadline leaves', async () => {
  const { fetch } = scriptedFetch(busy('5'))
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 5000 }))

  expect(error).toMatchObject({ name: 'ServerError', retryAfterMs: 5000, attempts: 1 })
  expect(waits).toEqual([])
})

it('a deadline that ends during a wait is a TimeoutError, with the last failure as its cause', async () => {
  const { fetch } = scriptedFetch(busy(), fail(502, 'bad_gateway'))
  const { client, waits } = testClient({ fetch, maxRetries: 5 })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 1200 }))

  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ limit: 'deadlineMs', limitMs: 1200, attempts: 2, mayHaveArrived: true })
  expect((error as TimeoutError).cause).toMatchObject({ name: 'ServerError', code: 'bad_gateway' })
  expect(waits).toEqual([500])
})

it('a wait that would take all that the deadline leaves is not begun', async () => {
  const { fetch, requests: given } = scriptedFetch(busy())
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 500 }))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 1 })
  expect(waits).toEqual([])
  expect(given).toHaveLength(1)
})

it('a wait that took too long is followed by no attempt', async () => {
  const { fetch, requests: given } = scriptedFetch(busy())
  const slow = testClient({
    fetch,
    deadlineMs: 1000,
    sleep: async () => slow.passTime(1000),
  })

  const error = await thrownBy(slow.client.checks.age(born))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 1 })
  expect((error as Error).cause).toMatchObject({ name: 'ServerError' })
  expect(given).toHaveLength(1)
})

it('the deadline of a call wins over that of the client', async () => {
  const { fetch } = scriptedFetch(busy())
  const { client, waits } = testClient({ fetch, deadlineMs: 10 })

  await thrownBy(client.sessions.retrieve('s', { deadlineMs: 100_000 }))

  expect(waits).toEqual([500, 1000])
})

it('asks again, with the same key and bytes, while the first request is still at work', async () => {
  const { fetch, requests: given } = scriptedFetch(working(), working(), working(), working(), aged)
  const { client, waits } = testClient({ fetch, maxRetries: 0 })

  const { response } = await client.checks.age(born).withResponse()

  expect(response.attempts).toBe(5)
  expect(waits).toEqual([500, 1000, 2000, 4000])
  expect(new Set(given.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
  expect(new Set(given.map(({ body }) => Buffer.from(body).toString('hex'))).size).toBe(1)
})

it('never asks in a tight loop what became of a request at work', async () => {
  const { fetch } = scriptedFetch(working('0'), working('0'), aged)
  const { client, waits } = testClient({ fetch, random: () => 0 })

  await client.checks.age(born)

  expect(waits).toEqual([250, 500])
})

it('waits for a request at work as long as it says', async () => {
  const { fetch } = scriptedFetch(working('7'), aged)
  const { client, waits } = testClient({ fetch })

  await client.checks.age(born)

  expect(waits).toEqual([7000])
})

it('waits for a request at work do not count as retries', async () => {
  const { fetch } = scriptedFetch(working(), busy(), working(), busy(), working(), aged)
  const { client } = testClient({ fetch, maxRetries: 2 })

  await expect(client.checks.age(born)).resolves.toBeDefined()
})

it('waits for a request at work until timeoutMs after it was first heard of', async () => {
  const { fetch, requests: given } = scriptedFetch(working())
  const { client, waits } = testClient({ fetch, timeoutMs: 4000 })

  const error = await thrownBy(client.checks.age(born))

  expect(error).toMatchObject({ name: 'ConflictError', code: 'idempotency_in_progress' })
  expect(error).toHaveProperty('idempotencyKey', given[0]?.headers.get('idempotency-key'))
  expect(waits).toEqual([500, 1000, 2000])
})

it('waits for a request at work until deadlineMs, where one is set', async () => {
  const { fetch } = scriptedFetch(working())
  const { client, waits } = testClient({ fetch, timeoutMs: 1000, deadlineMs: 20_000 })

  const error = await thrownBy(client.checks.age(born))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs' })
  expect((error as Error).cause).toMatchObject({ code: 'idempotency_in_progress' })
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000])
})

it('waits for a session at work that was created under a key of the caller', async () => {
  const { fetch, requests: given } = scriptedFetch(working(), succeed())
  const { client } = testClient({ fetch })

  await client.sessions.create({}, { idempotencyKey: 'mine' })

  expect(given).toHaveLength(2)
})

it.each([400, 422, 423, 429])('only a 409 tells of a request at work, not a %i', async (status) => {
  const { fetch } = scriptedFetch(fail(status, 'idempotency_in_progress'))
  const { client, waits } = testClient({ fetch, maxRetries: 0 })

  await expect(client.checks.age(born)).rejects.toMatchObject({ status, code: 'idempotency_in_progress' })
  expect(waits).toEqual([])
})

it('without a key there is nothing to wait for', async () => {
  const { fetch, requests: given } = scriptedFetch(working())
  const { client } = testClient({ fetch })

  await expect(client.sessions.create()).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  expect(given).toHaveLength(1)
})

it('a wait for a request at work ends after a minute asked for', async () => {
  const { fetch } = scriptedFetch(working('61'))
  const { client, waits } = testClient({ fetch })

  await expect(client.checks.age(born)).rejects.toMatchObject({ name: 'ConflictError', retryAfterMs: 61_000 })
  expect(waits).toEqual([])
})

it('an outage is not multiplied: a client has 50 retries, and each success at once gives one back', async () => {
  let up = false
  const { fetch, requests: given } = scriptedFetch((signal) => (up ? succeed() : busy())(signal))
  const { client } = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 7; i++) await thrownBy(client.sessions.retrieve('s'))
  const duringTheOutage = given.length
  up = true
  await client.sessions.retrieve('s')
  await client.sessions.retrieve('s')
  up = false
  const before = given.length

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(duringTheOutage).toBe(7 + 50)
  expect(given.length - before).toBe(1 + 2)
  expect(error).toBeInstanceOf(ApiError)
})

it('successes before an outage save up no retries', async () => {
  const { fetch, requests: given } = scriptedFetch(...Array.from({ length: 3 }, () => succeed()), busy())
  const { client } = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 3; i++) await client.sessions.retrieve('s')

  for (let i = 0; i < 6; i++) await thrownBy(client.sessions.retrieve('s'))

  expect(given).toHaveLength(3 + 6 + 50)
})

it('a success after a retry gives no retry back', async () => {
  const { fetch, requests: given } = scriptedFetch(
    ...Array.from({ length: 50 }, () => [busy(), succeed()]).flat(),
    busy(),
  )
  const { client } = testClient({ fetch })
  for (let i = 0; i < 50; i++) await client.sessions.retrieve('s')
  const before = given.length

  await thrownBy(client.sessions.retrieve('s'))

  expect(given.length - before).toBe(1)
})

it('two clients have a budget each', async () => {
  const { fetch, requests: given } = scriptedFetch(busy())
  const first = testClient({ fetch, maxRetries: 10 })
  for (let i = 0; i < 6; i++) await thrownBy(first.client.sessions.retrieve('s'))
  const before = given.length

  await thrownBy(testClient({ fetch }).client.sessions.retrieve('s'))

  expect(given.length - before).toBe(3)
})

it('a wait that the deadline forbids costs no retry of the budget', async () => {
  const { fetch, requests: given } = scriptedFetch(busy())
  const { client } = testClient({ fetch })
  for (let i = 0; i < 60; i++) await thrownBy(client.sessions.retrieve('s', { deadlineMs: 100 }))
  const before = given.length

  await thrownBy(client.sessions.retrieve('s'))

  expect(given.length - before).toBe(3)
})

it.each(['GET', 'DELETE'] as const)(
  'a raw %s is repeated only where that is safe whatever it does',
  async (method) => {
    const { fetch, requests: given } = scriptedFetch(busy())
    const { client } = testClient({ fetch })

    await thrownBy(client.request({ method, path: '/api/v2/usage' }))

    expect(given).toHaveLength(method === 'GET' ? 3 : 1)
  },
)

it.each([
  ['workflows.delete', (client: ReturnType<typeof testClient>['client']) => client.workflows.delete('wf')],
  [
    'faceUniqueness.delete',
    (client: ReturnType<typeof testClient>['client']) => client.faceUniqueness.delete('u'),
  ],
])('%s is unconfirmed, and counts as a write', async (_, call) => {
  const { fetch, requests: given } = scriptedFetch(breakConnection)
  const { client } = testClient({ fetch })

  await thrownBy(call(client))

  expect(given).toHaveLength(1)
})

it('retryable says whether the same call can succeed later', async () => {
  const answers = [
    fail(429, 'rate_limited'),
    fail(503, 'x'),
    fail(429, 'too_many_attempts'),
    respond(404, {}),
    fail(409, 'idempotency_in_progress'),
    fail(409, 'already_decided'),
  ]
  const { fetch } = scriptedFetch(...answers)
  const { client } = testClient({ fetch, maxRetries: 0 })

  const errors = []
  for (const _ of answers) errors.push(await thrownBy(client.sessions.retrieve('s')))

  expect(errors.map((error) => (error as ApiError).retryable)).toEqual([
    true,
    true,
    false,
    false,
    true,
    false,
  ])
})
