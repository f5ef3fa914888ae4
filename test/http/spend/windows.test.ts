import { expect, it } from 'vitest'
import { ConfigurationError, OutcomeUnknownError, SpendLimitError, type Store } from '../../../src/index.ts'
import { check, checks, minute, processes, respondWith } from './processes.ts'

const isFull = { code: 'spend_limit', reason: 'limit_reached' }

it('sends at most the calls of the limit in a window, and all of them again in the next', async () => {
  const { clients, clock, sent } = processes({ limit: { calls: 5 } })
  await clock.advance(59_000)
  const [one, other] = clients

  expect([await checks(one, 3), await checks(other, 9), await checks(one, 9)]).toEqual([3, 2, 0])
  await clock.advance(1_000)
  expect([await checks(other, 9), await checks(one, 9)]).toEqual([5, 0])
  expect(sent).toHaveLength(10)
})

it('a window may be a month, which is longer than a timer can wait', async () => {
  const month = 2_592_000_000
  const { clients, clock } = processes({ limit: { calls: 1, perMs: month } })

  expect(await checks(clients[0], 2)).toBe(1)
  expect(await check(clients[1] as (typeof clients)[0])).toMatchObject({ ...isFull, retryAfterMs: expect.any(Number) })
  await clock.advance(month)
  expect(await checks(clients[0], 2)).toBe(1)
})

it.each([1, 7, 49, 1_000])('lets a single process use all of %i calls', async (calls) => {
  const { clients } = processes({ limit: { calls } })
  expect(await checks(clients[0], calls + 5)).toBe(calls)
})

it('concurrent calls of several processes share one limit', async () => {
  const { clients, clock, sent } = processes({ limit: { calls: 20 }, aheadMs: [0, 0, 0] })
  const calling = Promise.all(Array.from({ length: 60 }, (_, n) => check(clients[n % 3] as (typeof clients)[0])))
  await clock.advance(1_000)
  const results = await calling

  expect(results.filter((error) => error === undefined)).toHaveLength(20)
  expect(results.filter((error) => error instanceof SpendLimitError)).toHaveLength(40)
  expect(sent).toHaveLength(20)
})

it('the error names the time until the window ends, and a call that is stopped sends nothing', async () => {
  const { clients, clock, sent } = processes({ limit: { calls: 1 } })
  await clock.advance(20_000)
  await check(clients[0])

  const error = await check(clients[0])

  expect(error).toBeInstanceOf(SpendLimitError)
  expect(error).toMatchObject({ ...isFull, retryAfterMs: 40_000, attempts: 0, operation: 'checks.liveness' })
  await clock.advance(39_999)
  expect(await check(clients[1])).toMatchObject({ ...isFull, retryAfterMs: 1 })
  await clock.advance(1)
  expect(await check(clients[0])).toBeUndefined()
  expect(sent).toHaveLength(2)
})

it('a process whose clock is behind counts in the window that the others are in', async () => {
  const { clients } = processes({ limit: { calls: 5 }, aheadMs: [0, -5 * minute] })
  const [right, behind] = clients
  expect([await checks(right, 3), await checks(behind, 9), await checks(right, 9)]).toEqual([3, 2, 0])
})

it('a process whose clock is ahead stops the others for the window and ten minutes at most', async () => {
  const { clients, clock } = processes({ limit: { calls: 1 }, aheadMs: [86_400_000, 0] })
  const [ahead, right] = clients
  await check(ahead)

  expect(await check(right)).toMatchObject({ ...isFull, retryAfterMs: 11 * minute })
  await clock.advance(11 * minute)
  expect(await check(right)).toBeUndefined()
})

it('limits with different names or spans count separately', async () => {
  const { clients } = processes({ limit: { calls: 1 } })
  const store = (name: string, perMs: number) => processes({ limit: { calls: 1, name, perMs } }).clients[0]
  await check(clients[0])

  expect([await check(store('other', minute)), await check(store('default', 2 * minute))]).toEqual([
    undefined,
    undefined,
  ])
})

it('all attempts of a call in a window are one call', async () => {
  let requests = 0
  const { clients, clock, sent } = processes({
    limit: { calls: 1 },
    options: { maxRetries: 1 },
    respond: () => (requests++ === 0 ? respondWith(503, { 'retry-after': '50' }) : undefined),
  })
  const calling = check(clients[0])
  await clock.advance(50_000)

  expect(await calling).toBeUndefined()
  expect(sent).toHaveLength(2)
  expect(await check(clients[1])).toMatchObject(isFull)
})

it('a retry in a later window counts in that window too', async () => {
  let requests = 0
  const { clients, clock } = processes({
    limit: { calls: 1 },
    options: { maxRetries: 1 },
    respond: () => (requests++ === 0 ? respondWith(503, { 'retry-after': '50' }) : undefined),
  })
  await clock.advance(30_000)
  const calling = check(clients[0])
  await clock.advance(50_000)

  expect(await calling).toBeUndefined()
  expect(await check(clients[1])).toMatchObject(isFull)
})

it.each([
  [503, OutcomeUnknownError, { cause: { ...isFull, attempts: 1 } }],
  [429, SpendLimitError, { ...isFull, attempts: 1 }],
])('a retry after a %i that finds its window full is not sent', async (status, type, facts) => {
  const { clients, clock, sent } = processes({
    limit: { calls: 1 },
    options: { maxRetries: 1 },
    respond: ({ process }) => (process === 0 ? respondWith(status, { 'retry-after': '50' }) : undefined),
  })
  await clock.advance(30_000)
  const calling = check(clients[0])
  await clock.advance(40_000)
  expect(await check(clients[1])).toBeUndefined()
  await clock.advance(10_000)
  const error = await calling

  expect(error).toBeInstanceOf(type)
  expect(error).toMatchObject(facts)
  expect(sent).toHaveLength(2)
})

it('a call whose credentials take longer than its window counts in the window in which it is sent', async () => {
  let clock: ReturnType<typeof processes>['clock'] | undefined
  const cluster = processes({ limit: { calls: 1 }, loadKey: () => clock?.passTime(minute) })
  clock = cluster.clock
  await check(cluster.clients[0])

  expect(cluster.sent.map(({ at }) => at)).toEqual([minute])
  expect(await check(cluster.clients[1])).toMatchObject(isFull)
})

it('a call that is not sent is not counted, and one whose outcome is unknown is', async () => {
  let isBroken = true
  let syscall = 'connect'
  const { clients } = processes({
    limit: { calls: 1 },
    loadKey: () => {
      if (isBroken) throw new Error('no secret manager')
    },
    respond: () => {
      throw Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('it failed'), { syscall }),
      })
    },
  })
  for (let n = 0; n < 3; n++) expect(await check(clients[0])).not.toBeInstanceOf(SpendLimitError)
  isBroken = false
  for (let n = 0; n < 3; n++) expect(await check(clients[0])).toMatchObject({ code: 'connection_failed' })
  syscall = 'read'
  expect(await check(clients[0])).toBeInstanceOf(OutcomeUnknownError)
  expect(await check(clients[0])).toMatchObject(isFull)
})

it('a call that the service rejects is counted, and one that is not billable is not', async () => {
  const { clients } = processes({
    limit: { calls: 1 },
    respond: ({ process }) => (process === 0 ? respondWith(422) : undefined),
  })
  await clients[1].sessions.list()
  await check(clients[0])

  expect(await check(clients[1])).toMatchObject(isFull)
  await expect(clients[1].sessions.list()).resolves.toEqual([])
})

it.each([
  { calls: 0 },
  { calls: 1.5 },
  { calls: '5' as never },
  { perMs: 0 },
  { perMs: Number.NaN },
  { name: '' },
  { name: 7 as never },
  { store: {} as Store },
  { store: null as never },
])('rejects a spend limit of %o', (limit) => {
  const make = () => processes({ limit })

  expect(make).toThrow(ConfigurationError)
  expect(make).toThrow(new RegExp(`^VerificationClient: spendLimit\\.${Object.keys(limit)[0]} must be `))
})
