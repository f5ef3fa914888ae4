import { expect, it } from 'vitest'
import { TimeoutError } from '../../src/index.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const unavailable = (retryAfter?: string) =>
  fail(503, 'engine_unreachable', retryAfter === undefined ? {} : { 'retry-after': retryAfter })

it('doubles the wait before each retry, up to 8 seconds', async () => {
  const { fetch } = scriptedFetch(unavailable())
  const { client, waits } = testClient({ fetch, maxRetries: 7 })

  await thrownBy(client.sessions.retrieve('s'))

  expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000])
})

it('multiplies each wait by a random factor from 0 to 1', async () => {
  const factors = [0, 0.25, 0.999]
  const { fetch } = scriptedFetch(unavailable())
  const { client, waits } = testClient({ fetch, maxRetries: 3, random: () => factors.shift() ?? 1 })

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
  ['Thu, 1 Jan 2026 00:00:05 GMT', 5000],
])('waits as long as Retry-After specifies: %s', async (value, ms) => {
  const { fetch } = scriptedFetch(unavailable(value), succeed())
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
  'abc5',
  'Thu5',
  'Thu, 5',
  '-5',
  '+5',
  '5.0',
  '5, 5',
  '\u00b2',
  'Mon, 30 Feb 2026 00:00:05 GMT',
  'Wed, 31 Dec 2025 24:00:05 GMT',
  'Thu, 00 Jan 2026 00:00:05 GMT',
  'Thu, 01 Jan 2026 00:00:05',
  'Thu, 01 Jan 2026 00:00:05 GMT+1',
  'Foo, 01 Jan 2026 00:00:05 GMT',
  'Thu, 01 Foo 2026 00:00:05 GMT',
  'Thu, 01 Jan 2026 00:00:00 GMT',
  'Wed, 31 Dec 2025 23:59:00 GMT',
  'Thu, 01 Jan 1970 00:00:00 GMT',
])('ignores a Retry-After that is neither seconds nor an HTTP date in the future: %j', async (value) => {
  const { fetch } = scriptedFetch(unavailable(value))
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
])('throws at once if Retry-After is more than a minute: %s', async (value, retryAfterMs) => {
  const { fetch, requests } = scriptedFetch(fail(429, 'rate_limited', { 'retry-after': value }))
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s'))

  expect(error).toMatchObject({ name: 'RateLimitError', retryAfterMs, attempts: 1, retryable: true })
  expect(waits).toEqual([])
  expect(requests).toHaveLength(1)
})

it.each([
  ['Thu, 01 Jan 2026 03:00:00 GMT', 5000],
  ['Wed, 31 Dec 2025 20:00:00 GMT', 5000],
  // Without a valid date of the response, the own clock counts: 00:00:00.
  ['Thu, 30 Feb 2026 03:00:00 GMT', 9000],
  ['now', 9000],
  ['', 9000],
])('compares the date of Retry-After with the date of the response: %j', async (date, ms) => {
  const own = Date.parse('Thu, 01 Jan 2026 00:00:00 GMT')
  const from = Date.parse(date)
  const until = new Date(ms === 5000 ? from + ms : own + ms).toUTCString()
  const { fetch } = scriptedFetch(fail(503, 'engine_unreachable', { 'retry-after': until, date }), succeed())
  const { client, waits } = testClient({ fetch })

  await client.sessions.retrieve('s')

  expect(waits).toEqual([ms])
})

it('throws at once if Retry-After is at least what the deadline leaves', async () => {
  const { fetch } = scriptedFetch(unavailable('5'))
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 5000 }))

  expect(error).toMatchObject({ name: 'ServerError', retryAfterMs: 5000, attempts: 1 })
  expect(waits).toEqual([])
})

it('throws TimeoutError, caused by the last failure, if the deadline would end during a wait', async () => {
  const { fetch } = scriptedFetch(unavailable(), fail(502, 'bad_gateway'))
  const { client, waits } = testClient({ fetch, maxRetries: 5 })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 1200 }))

  expect(error).toBeInstanceOf(TimeoutError)
  expect(error).toMatchObject({ limit: 'deadlineMs', limitMs: 1200, attempts: 2, mayHaveArrived: true })
  expect((error as TimeoutError).cause).toMatchObject({ name: 'ServerError', code: 'bad_gateway' })
  expect(waits).toEqual([500])
})

it('starts no wait that would take all that the deadline leaves', async () => {
  const { fetch, requests } = scriptedFetch(unavailable())
  const { client, waits } = testClient({ fetch })

  const error = await thrownBy(client.sessions.retrieve('s', { deadlineMs: 500 }))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 1 })
  expect(waits).toEqual([])
  expect(requests).toHaveLength(1)
})

it('makes no further attempt if a wait took longer than the deadline', async () => {
  const { fetch, requests } = scriptedFetch(unavailable())
  const test = testClient({
    fetch,
    deadlineMs: 1000,
    sleep: async () => test.passTime(1000),
  })

  const error = await thrownBy(test.client.sessions.retrieve('s'))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs', attempts: 1 })
  expect((error as Error).cause).toMatchObject({ name: 'ServerError' })
  expect(requests).toHaveLength(1)
})

it('prefers the deadline of the call to that of the client', async () => {
  const { fetch } = scriptedFetch(unavailable())
  const { client, waits } = testClient({ fetch, deadlineMs: 10 })

  await thrownBy(client.sessions.retrieve('s', { deadlineMs: 100_000 }))

  expect(waits).toEqual([500, 1000])
})
