import { beforeAll } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import {
  type ListingStore,
  memoryStore,
  type SpendLimit,
  type Store,
  type VerificationClient,
} from '../../../src/index.ts'
import { countingStore } from '../../support/counting-store.ts'
import { manualClock } from '../../support/timing.ts'
import { testClient } from '../../support/verification-client.ts'

export const minute = 60_000

// The first call in a process loads code, which takes real time.
beforeAll(() => check(processes({}).clients[0]))

/** One request that reached the service. */
export interface Sent {
  /** Real time, in milliseconds. */
  readonly at: number
  readonly key: string
  readonly process: number
}

interface ProcessesSetup {
  readonly limit?: Partial<SpendLimit>
  /** How far the clocks of each process are ahead of real time, in milliseconds. */
  readonly aheadMs?: readonly number[]
  /** Returns a response of the service, or undefined for the one of the emulator. */
  readonly respond?: (sent: Sent) => Response | undefined | Promise<Response | undefined>
  readonly options?: Parameters<typeof testClient>[0]
  /** Called before the API key of an attempt is returned. */
  readonly loadKey?: () => unknown
  /** Wraps the store. */
  readonly withStore?: (store: ListingStore) => Store
}

/** Clients of several processes that share a store. Each process has clocks of its own. A window begins at time 0. */
export function processes({
  limit,
  aheadMs = [0, 0],
  respond,
  options,
  loadKey = () => {},
  withStore = (store) => store,
}: ProcessesSetup) {
  const clock = manualClock()
  const now = () => clock.timing.now()
  const emulator = createEmulator({ seed: 1 })
  const { baseUrl, apiKey } = emulator.options.verification
  const sent: Sent[] = []
  const inner = memoryStore({ now: () => new Date(now()) })
  const { store: counted, operations } = countingStore(inner)
  const store = withStore(counted)

  const clients = aheadMs.map((ahead, process) => {
    const { timer, sleep } = clock.timing
    return testClient({
      baseUrl,
      apiKey: async () => {
        await loadKey()
        return apiKey as string
      },
      maxRetries: 0,
      spendLimit: { calls: 100, perMs: minute, store, ...limit },
      random: () => 0.5,
      ...options,
      timer,
      sleep,
      now: () => now() + ahead,
      wallClock: () => Date.UTC(2026, 0, 1) + now() + ahead,
      fetch: async (...call) => {
        const request = new Request(...call)
        const one = { at: now(), key: String(request.headers.get('idempotency-key')), process }
        sent.push(one)
        return (await respond?.(one)) ?? emulator.fetch(request)
      },
    }).client
  })
  return {
    clients: clients as [VerificationClient, VerificationClient, ...VerificationClient[]],
    clock,
    sent,
    inner,
    operations,
    emulator,
  }
}

const image = new Uint8Array([0xff, 0xd8, 0xff])

/** Sends a billed call. Returns its error, if any. */
export const check = (client: VerificationClient, spendKey?: string): Promise<unknown> =>
  failureOf(client.checks.liveness({ image }, { spendKey }))

export const failureOf = (promise: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  )

/** Sends billed calls, one after the other. Returns how many were not stopped. */
export async function checks(client: VerificationClient, count: number, spendKey?: string): Promise<number> {
  let passed = 0
  for (let n = 0; n < count; n++) if ((await check(client, spendKey)) === undefined) passed++
  return passed
}

export const respondWith = (status: number, headers: Record<string, string> = {}) =>
  new Response('{}', { status, headers })
