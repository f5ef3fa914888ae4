import { beforeAll, expect, it } from 'vitest'
import { PaymentRequiredError, type Store, TimeoutError } from '../../../src/index.ts'
import { check, processes, respondWith, type Sent } from './processes.ts'

const limit = { calls: 100, perMs: 60_000, probeAfterMs: 30_000 }

// The first call loads code, which takes real time.
beforeAll(() => check(processes({ limit }).clients[0]))

/** A wallet, and requests that the service does not respond to yet. */
function service() {
  const state = { isEmpty: true, isSlow: false }
  const waiting: ((status: number) => void)[] = []
  const respond = (_: Sent) => {
    if (!state.isSlow) return state.isEmpty ? respondWith(402) : undefined
    return new Promise<Response>((resolve) => waiting.push((status) => resolve(respondWith(status))))
  }
  return { state, respond, waiting }
}

const probeKey = 'spend-limit:probe:default'

const isStopped = { code: 'spend_limit', reason: 'payment_required' }

/** Two processes, the first of which sends a probe after the wait. The service does not respond to it yet. */
async function runningProbe(probeAfterMs: number, options?: Parameters<typeof processes>[0]['options']) {
  const { state, respond, waiting } = service()
  const { clients, clock, inner } = processes({ limit: { ...limit, probeAfterMs }, respond, options })
  const [client, other] = clients
  await check(client)
  await clock.advance(probeAfterMs)
  state.isSlow = true
  const probe = check(client)
  await clock.advance(0)
  state.isSlow = false
  return { client, other, clock, inner, probe, respondToProbe: (status: number) => waiting[0]?.(status) }
}

it('a process whose clock is a day ahead delays no other process', async () => {
  const { state, respond } = service()
  const { clients, clock } = processes({ limit, respond, aheadMs: [86_400_000, 0] })
  const [ahead, other] = clients
  await check(ahead)

  expect(await check(other)).toMatchObject({ ...isStopped, retryAfterMs: 30_000 })
  await clock.advance(30_000)
  state.isEmpty = false
  expect(await check(other)).toBeUndefined()
  expect(await check(ahead)).toBeUndefined()
})

it('waits ten minutes at most, whatever another process has written', async () => {
  const { respond } = service()
  const { clients, clock, inner } = processes({ limit, respond })
  await inner.set('spend-limit:empty:default', '{"waitMs":86400000}')
  await check(clients[0])

  expect(await check(clients[1])).toMatchObject({ ...isStopped, retryAfterMs: 600_000 })
  await clock.advance(600_000)
  expect(await check(clients[1])).toBeInstanceOf(PaymentRequiredError)
})

it('retryAfterMs counts from when a process first learned of the wait', async () => {
  const { respond } = service()
  const { clients, clock } = processes({ limit, respond })
  const [client, other] = clients
  await check(client)
  await clock.advance(10_000)

  expect(await check(client)).toMatchObject({ ...isStopped, retryAfterMs: 20_000 })
  expect(await check(other)).toMatchObject({ ...isStopped, retryAfterMs: 30_000 })
  await clock.advance(5_000)
  expect(await check(other)).toMatchObject({ ...isStopped, retryAfterMs: 25_000 })
})

it('a probe of a process that crashed blocks the next one for 30 seconds', async () => {
  const { state, respond } = service()
  const { clients, clock, inner } = processes({ limit, respond })
  const [client] = clients
  await check(client)
  await clock.advance(30_000)
  // The lease of a process that no longer runs.
  await inner.set(probeKey, 'probe x', { ttlMs: 30_000 })
  state.isEmpty = false

  await clock.advance(29_999)
  expect(await check(client)).toMatchObject(isStopped)
  await clock.advance(1)
  expect(await check(client)).toBeUndefined()
})

it('a probe that was not sent lets the next call be the probe', async () => {
  const { state, respond } = service()
  let isBroken = false
  const { clients, clock } = processes({
    limit,
    respond,
    loadKey: () => {
      if (isBroken) throw new Error('no secret manager')
    },
  })
  const [client, other] = clients
  await check(client)
  await clock.advance(30_000)
  isBroken = true
  await check(client)
  await clock.advance(0)
  isBroken = false
  state.isEmpty = false

  expect(await check(other)).toBeUndefined()
})

it('a probe whose call times out while it is counted again lets the next call be the probe', async () => {
  const { state, respond } = service()
  const counting: (() => void)[] = []
  let isSlow = false
  const { clients, clock } = processes({
    limit,
    respond,
    options: { timeoutMs: 4_000 },
    withStore: (store) => ({
      ...store,
      async compareAndSet(key, ...call) {
        if (isSlow && key.startsWith('spend-limit:60000:')) await new Promise<void>((go) => counting.push(go))
        return store.compareAndSet(key, ...call)
      },
    }),
  })
  const [client, other] = clients
  await check(client)
  await clock.advance(30_000)
  isSlow = true
  const probe = check(client)
  await clock.advance(2_000)
  counting.shift()?.()
  await clock.advance(0)
  expect(counting).toHaveLength(1)
  await clock.advance(2_000)
  expect(await probe).toBeInstanceOf(TimeoutError)
  isSlow = false
  counting.shift()?.()
  await clock.advance(0)
  state.isEmpty = false

  expect(await check(other)).toBeUndefined()
})

it('a probe that finds no slot lets the next call be the probe', async () => {
  const { state, respond } = service()
  const { clients, clock } = processes({ limit: { calls: 1, perMs: 60_000 }, respond })
  const [client, other] = clients
  await check(client)
  await clock.advance(30_000)

  expect(await check(client)).toMatchObject({ reason: 'limit_reached' })
  await clock.advance(31_000)
  state.isEmpty = false
  expect(await check(other)).toBeUndefined()
})

it('a retry is not sent while a 402 of another call stops calls', async () => {
  const { clients, clock, sent } = processes({
    limit,
    options: { maxRetries: 2 },
    respond: ({ process }) => (process === 0 ? respondWith(429, { 'retry-after': '20' }) : respondWith(402)),
  })
  const [client, other] = clients
  const calling = check(client)
  await clock.advance(10_000)
  await check(other)
  await clock.advance(10_000)

  expect(await calling).toMatchObject({ ...isStopped, attempts: 1 })
  expect(sent).toHaveLength(2)
})

it('a probe may be retried while it holds its lease', async () => {
  let requests = 0
  const { clients, clock } = processes({
    limit,
    options: { maxRetries: 1 },
    respond: () => [respondWith(402), respondWith(503, { 'retry-after': '55' })][requests++],
  })
  const [client, other] = clients
  await check(client)
  await clock.advance(30_000)
  const probe = check(client)
  await clock.advance(50_000)
  expect(await check(other)).toMatchObject(isStopped)
  await clock.advance(5_000)

  expect(await probe).toBeUndefined()
  expect(await check(other)).toBeUndefined()
})

it('a probe that fails for another reason does not change the wait', async () => {
  const { client, other, clock, probe, respondToProbe } = await runningProbe(50_000)
  respondToProbe(503)
  await probe

  expect(await check(other)).toMatchObject({ ...isStopped, retryAfterMs: 50_000 })
  await clock.advance(49_999)
  expect(await check(client)).toMatchObject({ ...isStopped, retryAfterMs: 1 })
  await clock.advance(1)
  expect(await check(client)).toBeInstanceOf(PaymentRequiredError)
  await clock.advance(99_999)
  expect(await check(other)).toMatchObject(isStopped)
})

/** A store whose operations of one kind wait, once they are held, until they are released. */
function holding(operation: 'set' | 'compareAndDelete') {
  const held = { isHeld: false, release: () => {} }
  const released = new Promise<void>((resolve) => (held.release = resolve))
  const withStore = (store: Store): Store => ({
    ...store,
    [operation]: async (...call: never[]) => {
      if (held.isHeld) await released
      return Reflect.apply(store[operation], store, call)
    },
  })
  return { held, withStore }
}

it('a 402 stops the calls of its process before the store has recorded it', async () => {
  const { respond } = service()
  const { held, withStore } = holding('set')
  const { clients, clock, sent } = processes({
    limit,
    respond: (call) => {
      held.isHeld = true
      return respond(call)
    },
    withStore,
  })
  const [client] = clients
  await check(client)

  expect(await check(client)).toMatchObject({ ...isStopped, retryAfterMs: 30_000 })
  held.release()
  await clock.advance(0)
  expect(await check(client)).toMatchObject(isStopped)
  expect(sent).toHaveLength(1)
})

it('a successful probe allows the calls of its process before the store has recorded it', async () => {
  const { state, respond } = service()
  const { held, withStore } = holding('compareAndDelete')
  const { clients, clock } = processes({ limit, respond, withStore })
  const [client, other] = clients
  await check(client)
  await clock.advance(30_000)
  state.isEmpty = false
  held.isHeld = true
  await check(client)

  expect(await check(client)).toBeUndefined()
  expect(await check(other)).toMatchObject(isStopped)
  held.release()
  await clock.advance(0)
  expect(await check(other)).toBeUndefined()
})

it('a probe that lost its lease is not retried while another probe runs', async () => {
  let requests = 0
  const { clients, clock, sent, inner } = processes({
    limit,
    options: { maxRetries: 1 },
    respond: () => [respondWith(402), respondWith(503, { 'retry-after': '55' })][requests++],
  })
  const [client] = clients
  await check(client)
  await clock.advance(30_000)
  const probe = check(client)
  await clock.advance(40_000)
  await inner.set(probeKey, 'probe of another process', { ttlMs: 30_000 })
  await clock.advance(15_000)

  expect(await probe).toMatchObject({ cause: isStopped })
  expect(sent).toHaveLength(2)
})
