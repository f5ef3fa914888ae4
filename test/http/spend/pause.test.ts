import { expect, it } from 'vitest'
import { PaymentRequiredError } from '../../../src/index.ts'
import { check, minute, processes, respondWith, type Sent } from './processes.ts'

const isPaused = { code: 'spend_limit', reason: 'payment_required' }

/** A service whose wallet is empty until it is filled. */
function emptyWallet(setup: Parameters<typeof processes>[0] = {}) {
  const wallet = { status: 402 }
  const respond = (_: Sent) => (wallet.status === 200 ? undefined : respondWith(wallet.status))
  return { ...processes({ limit: { calls: 1_000, perMs: 10 * minute }, respond, ...setup }), wallet }
}

it('after a 402, the calls of all processes fail at once, and then one call goes through', async () => {
  const { clients, clock, sent, wallet } = emptyWallet()
  const [one, other] = clients
  expect(await check(one)).toBeInstanceOf(PaymentRequiredError)

  expect(await check(other)).toMatchObject({ ...isPaused, retryAfterMs: 5_000, attempts: 0 })
  await clock.advance(4_999)
  expect(await check(one)).toMatchObject({ ...isPaused, retryAfterMs: 1 })
  await clock.advance(1)
  wallet.status = 200
  const trials = await Promise.all([check(one), check(one), check(other)])
  expect(trials.filter((error) => error === undefined)).toHaveLength(1)
  expect(sent).toHaveLength(2)
  expect([await check(one), await check(one)]).toEqual([undefined, undefined])
  await clock.advance(1_001)
  expect(await check(other)).toBeUndefined()
})

it('the pause doubles with each trial that gets a 402, up to five minutes', async () => {
  const { clients, clock } = emptyWallet()
  const waits: unknown[] = []
  for (let n = 0; n < 9; n++) {
    expect(await check(clients[n % 2] as (typeof clients)[0])).toBeInstanceOf(PaymentRequiredError)
    const { retryAfterMs } = (await check(clients[0])) as { retryAfterMs: number }
    waits.push(retryAfterMs / 1_000)
    await clock.advance(retryAfterMs)
  }
  expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300])
})

it('concurrent 402 responses begin one pause', async () => {
  const { clients, clock } = emptyWallet()
  const calling = [check(clients[0]), check(clients[0]), check(clients[1])]
  await clock.advance(100)
  await Promise.all(calling)

  expect(await check(clients[0])).toMatchObject({ ...isPaused, retryAfterMs: 4_900 })
})

it('a trial with any other end leaves the pause as it is', async () => {
  const { clients, clock, wallet } = emptyWallet()
  await check(clients[0])
  await clock.advance(5_000)
  wallet.status = 422
  await check(clients[1])

  expect(await check(clients[0])).toMatchObject({ ...isPaused, retryAfterMs: 5_000 })
  await clock.advance(5_000)
  wallet.status = 402
  await check(clients[0])
  expect(await check(clients[0])).toMatchObject({ ...isPaused, retryAfterMs: 10_000 })
})

it('an error other than 402 stops no calls', async () => {
  const { clients, wallet } = emptyWallet()
  wallet.status = 422
  await check(clients[0])
  wallet.status = 200

  expect(await check(clients[0])).toBeUndefined()
})

it('a call that succeeds after the 402 of another ends no pause', async () => {
  let succeed = (_: undefined) => {}
  const { clients, clock } = processes({
    respond: ({ process }) => (process === 0 ? new Promise((resolve) => (succeed = resolve)) : respondWith(402)),
  })
  const slow = check(clients[0])
  await clock.advance(0)
  await check(clients[1])
  succeed(undefined)
  expect(await slow).toBeUndefined()

  expect(await check(clients[0])).toMatchObject(isPaused)
})

it('a process sees the pause of another within a second, also if it holds slots', async () => {
  const { clients, clock, sent } = processes({
    limit: { calls: 10_000 },
    respond: ({ process }) => (process === 1 ? respondWith(402) : undefined),
  })
  const [one, other] = clients
  for (let n = 0; n < 100; n++) await check(one)
  await check(other)
  await clock.advance(1_001)

  expect(await check(one)).toMatchObject(isPaused)
  expect(sent).toHaveLength(101)
})

it('a retry is not sent while a 402 of its process stops calls, but a trial may be retried', async () => {
  const statuses = [429, 402, 429, 200]
  const { clients, clock, sent } = processes({
    options: { maxRetries: 1 },
    respond: () => {
      const status = statuses.shift() ?? 200
      return status === 200 ? undefined : respondWith(status, { 'retry-after': '3' })
    },
  })
  const [client] = clients
  const calling = check(client)
  await clock.advance(0)
  await check(client)
  await clock.advance(3_000)
  expect(await calling).toMatchObject({ ...isPaused, attempts: 1 })
  expect(sent).toHaveLength(2)

  await clock.advance(2_000)
  const trial = check(client)
  await clock.advance(3_000)
  expect(await trial).toBeUndefined()
  expect(await check(client)).toBeUndefined()
})

it('a 402 stops the calls of its process before the store has recorded it', async () => {
  let isSlow = false
  let proceed = () => {}
  const { clients, clock, sent } = processes({
    respond: () => {
      isSlow = true
      return respondWith(402)
    },
    withStore: (store) => ({
      ...store,
      compareAndSet: async (...call) => {
        if (isSlow) await new Promise<void>((resolve) => (proceed = resolve))
        return store.compareAndSet(...call)
      },
    }),
  })
  await check(clients[0])
  const calling = check(clients[0])
  await clock.advance(0)
  proceed()

  expect(await calling).toMatchObject(isPaused)
  expect(sent).toHaveLength(1)
})

it('a 402 that the store could not record is recorded by the next call', async () => {
  let isDown = false
  const { clients, clock, sent } = processes({
    respond: () => {
      isDown = true
      return respondWith(402)
    },
    withStore: (store) => ({
      ...store,
      compareAndSet: async (...call) => {
        if (isDown) throw new Error('connection lost')
        return store.compareAndSet(...call)
      },
    }),
  })
  await check(clients[0])
  await clock.advance(0)
  expect(await check(clients[0])).toMatchObject({ code: 'store_failed' })
  isDown = false

  expect(await check(clients[0])).toMatchObject(isPaused)
  expect(await check(clients[1])).toMatchObject(isPaused)
  expect(sent).toHaveLength(1)
})

it('a trial that is not sent delays the next one by the wait', async () => {
  let isBroken = false
  const { clients, clock, wallet } = emptyWallet({
    loadKey: () => {
      if (isBroken) throw new Error('no secret manager')
    },
  })
  await check(clients[0])
  await clock.advance(5_000)
  isBroken = true
  await check(clients[0])
  isBroken = false
  wallet.status = 200

  expect(await check(clients[1])).toMatchObject({ ...isPaused, retryAfterMs: 5_000 })
  await clock.advance(5_000)
  expect(await check(clients[1])).toBeUndefined()
})

it.each([86_400_000, -86_400_000])(
  'a process whose clock is wrong by %i ms is not stopped for longer than the wait, and stops no other',
  async (ahead) => {
    const { clients, clock, wallet } = emptyWallet({ aheadMs: [ahead, 0] })
    const [wrong, right] = clients
    await check(ahead > 0 ? wrong : right)
    const next = ahead > 0 ? right : wrong

    expect(await check(next)).toMatchObject({ ...isPaused, retryAfterMs: 5_000 })
    await clock.advance(5_000)
    wallet.status = 200
    expect(await check(next)).toBeUndefined()
  },
)

it('a pause in which no call comes is forgotten with its record', async () => {
  const { clients, clock, wallet } = emptyWallet()
  await check(clients[0])
  await clock.advance(20 * minute)
  wallet.status = 200

  expect(await Promise.all([check(clients[0]), check(clients[1])])).toEqual([undefined, undefined])
})
