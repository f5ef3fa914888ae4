import { expect, it } from 'vitest'
import { ageCheck, standalone } from '../support/fixtures.ts'
import { fail, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const aged = succeed(standalone(ageCheck()))
const unavailable = fail(503, 'engine_unreachable')
const inProgress = (retryAfter?: string) =>
  fail(409, 'idempotency_in_progress', retryAfter === undefined ? {} : { 'retry-after': retryAfter })

it('resends the same key and bytes while an earlier request is in progress', async () => {
  const { fetch, requests } = scriptedFetch(inProgress(), inProgress(), inProgress(), inProgress(), aged)
  const { client, waits } = testClient({ fetch, maxRetries: 0 })

  const { response } = await client.checks.age(born).withResponse()

  expect(response.attempts).toBe(5)
  expect(waits).toEqual([500, 1000, 2000, 4000])
  expect(new Set(requests.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
  expect(new Set(requests.map(({ body }) => Buffer.from(body).toString('hex'))).size).toBe(1)
})

it('waits at least half of the backoff for a request in progress', async () => {
  const { fetch } = scriptedFetch(inProgress('0'), inProgress('0'), aged)
  const { client, waits } = testClient({ fetch, random: () => 0 })

  await client.checks.age(born)

  expect(waits).toEqual([250, 500])
})

it('waits for a request in progress as long as Retry-After specifies', async () => {
  const { fetch } = scriptedFetch(inProgress('7'), aged)
  const { client, waits } = testClient({ fetch })

  await client.checks.age(born)

  expect(waits).toEqual([7000])
})

it('does not count waits for a request in progress as retries', async () => {
  const { fetch } = scriptedFetch(inProgress(), unavailable, inProgress(), unavailable, inProgress(), aged)
  const { client } = testClient({ fetch, maxRetries: 2 })

  await expect(client.checks.age(born)).resolves.toBeDefined()
})

it('waits for a request in progress until timeoutMs after the first 409, if no deadline is set', async () => {
  const { fetch, requests } = scriptedFetch(inProgress())
  const { client, waits } = testClient({ fetch, timeoutMs: 4000 })

  const error = await thrownBy(client.checks.age(born))

  expect(error).toMatchObject({ name: 'ConflictError', code: 'idempotency_in_progress' })
  expect(error).toHaveProperty('idempotencyKey', requests[0]?.headers.get('idempotency-key'))
  expect(waits).toEqual([500, 1000, 2000])
})

it('waits for a request in progress until deadlineMs, if one is set', async () => {
  const { fetch } = scriptedFetch(inProgress())
  const { client, waits } = testClient({ fetch, timeoutMs: 1000, deadlineMs: 20_000 })

  const error = await thrownBy(client.checks.age(born))

  expect(error).toMatchObject({ name: 'TimeoutError', limit: 'deadlineMs' })
  expect((error as Error).cause).toMatchObject({ code: 'idempotency_in_progress' })
  expect(waits).toEqual([500, 1000, 2000, 4000, 8000])
})

it('waits for a session creation in progress under a key of the caller', async () => {
  const { fetch, requests } = scriptedFetch(inProgress(), succeed())
  const { client } = testClient({ fetch })

  await client.sessions.create({}, { idempotencyKey: 'mine' })

  expect(requests).toHaveLength(2)
})

it.each([400, 422, 423, 429])('does not wait for a request in progress after the status %i', async (status) => {
  const { fetch } = scriptedFetch(fail(status, 'idempotency_in_progress'))
  const { client, waits } = testClient({ fetch, maxRetries: 0 })

  await expect(client.checks.age(born)).rejects.toMatchObject({ status, code: 'idempotency_in_progress' })
  expect(waits).toEqual([])
})

it('does not wait for a request in progress if the call has no key', async () => {
  const { fetch, requests } = scriptedFetch(inProgress())
  const { client } = testClient({ fetch })

  await expect(client.sessions.create()).rejects.toMatchObject({ code: 'idempotency_in_progress' })
  expect(requests).toHaveLength(1)
})

it('throws at once if a request in progress has a Retry-After of more than a minute', async () => {
  const { fetch } = scriptedFetch(inProgress('61'))
  const { client, waits } = testClient({ fetch })

  await expect(client.checks.age(born)).rejects.toMatchObject({ name: 'ConflictError', retryAfterMs: 61_000 })
  expect(waits).toEqual([])
})

it('waits 90 seconds for a credential lookup in progress, and 30 seconds for other checks', async () => {
  const { fetch } = scriptedFetch(inProgress('10'))
  const { client, waits } = testClient({ fetch })
  const license = { license_state: 'CA', license_type: 'RN', license_number: '1' }

  await thrownBy(client.checks.age(born))
  const forAge = waits.splice(0).length
  await thrownBy(client.checks.credential(license))

  expect([forAge, waits.length]).toEqual([3, 9])
})
