import { expect } from 'vitest'
import type { ClientOptions } from '../../src/index.ts'
import { FaultProxy } from '../support/fault-proxy.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import { printed } from '../support/printed.ts'
import { thrownBy } from '../support/thrown-by.ts'
import type { Transport } from '../support/transports.ts'
import { type CallKind, clientsOver } from './calls.ts'
import { canary, leaks } from './canaries.ts'
import { attemptsFor, type FaultRow } from './faults.ts'

/** Waits before the second and the third attempt, in milliseconds, if no response has a `Retry-After`. */
const defaultWaits = [500, 1000]
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/
const timeoutMs = 1000

export interface Case extends FaultRow {
  readonly name: string
  readonly transport: Transport
  readonly kind: CallKind
  readonly call: string
  readonly attempts: number
  /** The class of the error that the caller gets. */
  readonly thrown: string
}

/** Every fault with every kind of call over every transport. */
export const casesOf = (
  faults: readonly FaultRow[],
  kinds: readonly CallKind[],
  transports: readonly Transport[],
): Case[] =>
  transports.flatMap((transport) =>
    faults.flatMap((row) =>
      kinds.map((kind) => {
        // The contract calls a 500 safe to retry for the verification API only.
        const isOpen = row.fault === '500 internal_error' && kind.call === 'the addition of members'
        const meaning = isOpen ? 'ambiguous' : row.meaning
        return {
          ...row,
          meaning,
          name: transport.name,
          transport,
          kind,
          call: kind.call,
          attempts: attemptsFor[meaning][kind.replay],
          thrown: hasUnknownOutcome(row, kind) ? 'OutcomeUnknownError' : row.error.name,
        }
      }),
    ),
  )

const hasUnknownOutcome = ({ meaning, error }: FaultRow, { isBillable }: CallKind) =>
  isBillable && (meaning === 'no-response' || meaning === 'timeout' || error.status === 408)

/** Makes a call whose every attempt meets a fault. Returns what both sides observed. */
export async function outcomeOf(
  { kind, transport, does }: Pick<Case, 'kind' | 'transport' | 'does'>,
  { target, baseUrl, ...options }: ClientOptions & { target?: string } = {},
) {
  const proxy = await FaultProxy.start({
    target,
    script: () => does,
    // A trickle ends after a few bytes, and a stall at once.
    onClientWaits: ({ fault }) => clients.advance(fault.trickle ? timeoutMs / 4 : timeoutMs),
  })
  const { records, options: hooks } = hookRecorder()
  const url = String(baseUrl ?? proxy.url)
  const clients = clientsOver(transport, url, { maxResponseBytes: 2 ** 20, timeoutMs, ...hooks, ...options })
  try {
    const error = await thrownBy(kind.send(clients, { headers: { 'x-call': canary.callHeader } }))
    const { requests, connections } = proxy
    return { error, records, requests, connections, waits: clients.waits }
  } finally {
    // Closing the proxy ends requests that are still open, because closing a pool waits for them.
    await proxy.close()
    await clients.close()
  }
}

type Outcome = Awaited<ReturnType<typeof outcomeOf>>

/** Compares an outcome with the rules for its fault. */
export function expectRules({ error, requests, records, waits }: Outcome, row: Case): void {
  const { kind, meaning, attempts } = row
  // First, because the error explains most other failures.
  expectError(error, row, requests[0]?.idempotencyKey)
  expect(requests, printed(...records)).toHaveLength(meaning === 'not-sent' ? 0 : attempts)
  expectOneRequest(requests, kind)
  expect(waits).toEqual((row.waits ?? defaultWaits).slice(0, attempts - 1))
  expect(leaks(error, ...records)).toEqual([])
}

/** Every attempt sends the same bytes, with the same key or without one. */
function expectOneRequest(requests: Outcome['requests'], { isBillable, lastPath }: CallKind): void {
  for (const { idempotencyKey, path } of requests) {
    expect(idempotencyKey).toEqual(isBillable ? expect.stringMatching(uuid) : undefined)
    expect(path.endsWith(lastPath)).toBe(true)
  }
  const heads = requests.map(({ method, path, headers }) => JSON.stringify([method, path, headers]))
  expect(new Set(heads).size).toBeLessThanOrEqual(1)
  const bodies = requests.flatMap(({ sha256 }) => sha256 ?? [])
  expect(new Set(bodies).size).toBeLessThanOrEqual(1)
}

function expectError(error: unknown, row: Case, key: unknown): void {
  const { kind, meaning, attempts, error: facts } = row
  const keyed = kind.isBillable ? { idempotencyKey: key ?? expect.stringMatching(uuid) } : {}
  const hasResponse = meaning !== 'not-sent' && meaning !== 'no-response' && meaning !== 'timeout'
  const arrival = hasResponse ? {} : { mayHaveArrived: meaning !== 'not-sent' }
  // A used code or refresh token must not be sent again, except after a 429.
  const isUsed = kind.replay === 'never' && facts.retryable === true && facts.status !== 429
  const expected = { attempts, ...facts, ...arrival, ...keyed, ...(isUsed ? { retryable: false } : {}) }
  if (hasUnknownOutcome(row, kind)) {
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', code: 'outcome_unknown', attempts, ...keyed })
    expect((error as Error).cause).toMatchObject(expected)
  } else expect(error).toMatchObject(expected)
  if (!kind.isBillable) expect(error).not.toHaveProperty('idempotencyKey')
}
