import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import {
  InvalidParamsError,
  memoryStore,
  type SpendLimit,
  SpendLimitError,
  type VerificationClient,
} from '../../../src/index.ts'
import { testClient } from '../../support/verification-client.ts'

const minute = 60_000

/** Clients of one application that share a store, as separate processes would create them. */
function limited(limit: Partial<SpendLimit> = {}) {
  const emulator = createEmulator({ seed: 1 })
  const { baseUrl, apiKey } = emulator.options.verification
  let elapsedMs = 0
  const store = memoryStore({ now: () => new Date(elapsedMs) })
  const make = () =>
    testClient({
      baseUrl,
      apiKey,
      fetch: (...call) => emulator.fetch(new Request(...call)),
      maxRetries: 0,
      spendLimit: { calls: 100, perMs: minute, perKey: { calls: 2, perMs: minute }, store, ...limit },
      now: () => elapsedMs,
    }).client
  const passTime = (ms: number) => {
    elapsedMs += ms
  }
  return { emulator, store, make, passTime }
}

const check = (client: VerificationClient, spendKey?: string) =>
  client.checks.age({ dob: '1990-01-01', bands: [18] }, { spendKey }).then(
    () => 'sent',
    (error: unknown) => (error instanceof SpendLimitError ? error.reason : String(error)),
  )

it('limits the calls of each spendKey, over clients that share a store', async () => {
  const { emulator, make } = limited()
  const [one, other] = [make(), make()]

  const outcomes = [
    await check(one, 'ada'),
    await check(other, 'ada'),
    await check(one, 'ada'),
    await check(other, 'bo'),
    await check(one),
  ]

  expect(outcomes).toEqual(['sent', 'sent', 'key_limit_reached', 'sent', 'sent'])
  expect(emulator.requests).toHaveLength(4)
})

it('a call that its key stops does not count toward the limit of all', async () => {
  const { make } = limited({ calls: 4 })
  const client = make()
  for (let n = 0; n < 10; n++) await check(client, 'ada')

  expect([await check(client, 'bo'), await check(client), await check(client)]).toEqual([
    'sent',
    'sent',
    'limit_reached',
  ])
})

it('a call that the limit of all stops does not count for its key', async () => {
  const { make, passTime } = limited({ calls: 2, perMs: 1_000 })
  const client = make()
  await check(client)
  await check(client)
  for (let n = 0; n < 5; n++) expect(await check(client, 'ada')).toBe('limit_reached')

  passTime(10_000)

  expect([await check(client, 'ada'), await check(client, 'ada')]).toEqual(['sent', 'sent'])
})

it('a key is free again when its calls have left the span', async () => {
  const { make, passTime } = limited()
  const client = make()
  for (let n = 0; n < 3; n++) await check(client, 'ada')

  passTime(2 * minute)

  expect(await check(client, 'ada')).toBe('sent')
})

it('the error says when to call again, and does not contain the key', async () => {
  const { make } = limited()
  const client = make()
  for (let n = 0; n < 2; n++) await check(client, 'ada@example.com')

  const error = await client.checks
    .age({ dob: '1990-01-01', bands: [18] }, { spendKey: 'ada@example.com' })
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ name: 'SpendLimitError', reason: 'key_limit_reached', attempts: 0 })
  expect(String(error)).toMatch(/spend limit of its spendKey is reached\. Retry in 2 min \(61000 ms\)/)
  expect(String(error)).not.toContain('ada')
})

it('the store contains a digest of the key, and nothing of it after the span', async () => {
  const { store, make, passTime } = limited()
  await check(make(), 'ada@example.com')
  const keys = async () => {
    const found: string[] = []
    for await (const key of store.scan('spend-limit:')) found.push(key)
    return found
  }

  const ofKey = (await keys()).filter((key) => key.includes(':key:'))
  expect(ofKey.length).toBeGreaterThan(0)
  for (const key of ofKey) expect(key).toMatch(/^spend-limit:60000:key:[0-9a-f]{64}:\w+:default$/)
  passTime(2 * minute)
  expect(await keys()).toEqual([])
})

it('remembers the counters of 1,000 keys, and reads those of others again', async () => {
  const { make } = limited({ calls: 10_000, perKey: { calls: 1, perMs: minute } })
  const client = make()
  for (let n = 0; n < 1_100; n++) expect(await check(client, `user ${n}`)).toBe('sent')

  expect([await check(client, 'user 0'), await check(client, 'user 1099')]).toEqual([
    'key_limit_reached',
    'key_limit_reached',
  ])
})

it('without perKey, a spendKey has no effect', async () => {
  const { make } = limited({ perKey: undefined, calls: 3 })
  const client = make()
  expect([await check(client, 'ada'), await check(client, 'ada'), await check(client, 'ada')]).toEqual([
    'sent',
    'sent',
    'sent',
  ])
})

it.each([
  ['', 'must be a string of 1 to 255 characters'],
  ['x'.repeat(256), 'must be a string of 1 to 255 characters'],
])('rejects a spendKey of another form', async (spendKey, message) => {
  const { make, emulator } = limited()
  expect(await check(make(), spendKey)).toContain(`spendKey ${message}`)
  expect(emulator.requests).toEqual([])
})

it('rejects a spendKey of an operation that is not billable, because it would limit nothing', async () => {
  const { make } = limited()
  const options: object = { spendKey: 'ada' }
  await expect(make().sessions.list({}, options)).rejects.toThrow(InvalidParamsError)
})

it.each([
  [{ calls: 0, perMs: 1 }, 'spendLimit.perKey.calls must be a positive whole number'],
  [{ calls: 1 }, 'spendLimit.perKey.perMs'],
  [{ calls: 1, perMs: 1, store: {} }, 'spendLimit.perKey.store'],
])('rejects the limit %j', (perKey, message) => {
  const { make } = limited({ perKey: JSON.parse(JSON.stringify(perKey)) })
  expect(make).toThrow(message)
})
