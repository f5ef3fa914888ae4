import { expect, it } from 'vitest'
import { InvalidParamsError } from '../../../src/index.ts'
import { collect } from '../../support/collect.ts'
import { check, checks, minute, processes } from './processes.ts'

const perKey = { calls: 2, perMs: minute }
const isFull = { code: 'spend_limit', reason: 'key_limit_reached' }

it('limits the calls of each spendKey, over all processes', async () => {
  const { clients, clock } = processes({ limit: { perKey } })
  const [one, other] = clients

  expect([await checks(one, 1, 'ada'), await checks(other, 5, 'ada'), await checks(one, 5, 'ada')]).toEqual([1, 1, 0])
  expect([await checks(one, 5, 'bo'), await checks(other, 5)]).toEqual([2, 5])
  await clock.advance(minute)
  expect(await checks(one, 5, 'ada')).toBe(2)
})

it('a call that its key stops does not count toward the limit of all', async () => {
  const { clients } = processes({ limit: { calls: 4, perKey } })
  await checks(clients[0], 10, 'ada')

  expect(await checks(clients[0], 10)).toBe(2)
})

it('a call that the limit of all stops does not count for its key', async () => {
  const { clients, clock } = processes({ limit: { calls: 2, perMs: 1_000, perKey } })
  await checks(clients[0], 2)
  expect(await check(clients[0], 'ada')).toMatchObject({ reason: 'limit_reached' })
  await checks(clients[0], 5, 'ada')
  await clock.advance(1_000)

  expect(await checks(clients[0], 5, 'ada')).toBe(2)
})

it('the error says when to call again, and neither it nor the store contains the key', async () => {
  const { clients, inner } = processes({ limit: { perKey } })
  await checks(clients[0], 2, 'ada@example.com')
  const error = await check(clients[0], 'ada@example.com')

  expect(error).toMatchObject({ ...isFull, name: 'SpendLimitError', retryAfterMs: minute, attempts: 0 })
  expect(String(error)).toMatch(/`spendLimit\.perKey` of the client is reached .*\. Retry in 1 min/)
  expect(String(error)).not.toContain('ada')
  expect((await collect(inner.scan(''))).sort()).toEqual([
    'spend-limit:60000:all:default',
    expect.stringMatching(/^spend-limit:60000:key:[0-9a-f]{64}:default$/),
  ])
})

it('remembers the counters of 1,000 keys, and reads those of others again', async () => {
  const { clients } = processes({ limit: { calls: 10_000, perKey: { calls: 1, perMs: minute } } })
  for (let n = 0; n < 1_100; n++) expect(await check(clients[0], `user ${n}`)).toBeUndefined()

  expect(await check(clients[0], 'user 0')).toMatchObject(isFull)
  expect(await check(clients[0], 'user 1099')).toMatchObject(isFull)
})

it('without perKey, a spendKey has no effect', async () => {
  const { clients } = processes({ limit: { calls: 3 } })
  expect(await checks(clients[0], 5, 'ada')).toBe(3)
})

it.each(['', 'x'.repeat(256)])('rejects a spendKey of another form', async (spendKey) => {
  const { clients, sent } = processes({ limit: { perKey } })
  expect(String(await check(clients[0], spendKey))).toContain('spendKey must be a string of 1 to 255 characters')
  expect(sent).toEqual([])
})

it('rejects a spendKey of an operation that is not billable, because it would limit nothing', async () => {
  const options: object = { spendKey: 'ada' }
  await expect(processes({}).clients[0].sessions.list({}, options)).rejects.toThrow(InvalidParamsError)
})

it.each([
  [{ calls: 0, perMs: 1 }, 'spendLimit.perKey.calls must be a positive whole number'],
  [{ calls: 1 }, 'spendLimit.perKey.perMs'],
  [{ calls: 1, perMs: 1, store: {} }, 'spendLimit.perKey.store'],
])('rejects the limit %j', (given, message) => {
  expect(() => processes({ limit: { perKey: given as never } })).toThrow(message)
})
