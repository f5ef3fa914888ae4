import { expect } from 'vitest'
import type { ClientOptions } from '../../src/index.ts'
import { FaultProxy } from '../support/fault-proxy.ts'
import { printed } from '../support/printed.ts'
import { hookRecorder } from '../support/hook-recorder.ts'
import type { Transport } from '../support/transports.ts'
import { canary, leaks } from './canaries.ts'
import { clientsOver, type Kind } from './kinds.ts'
import { attemptsFor, type Row } from './rows.ts'

/** Before the second and the third attempt, in milliseconds, where no answer says otherwise. */
const firstWaits = [500, 1000]
const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}$/

export interface Case extends Row {
  readonly name: string
  readonly transport: Transport
  readonly kind: Kind
  readonly call: string
  readonly attempts: number
}

/** Every row for every kind of call over every transport. */
export const casesOf = (
  rows: readonly Row[],
  kinds: readonly Kind[],
  transports: readonly Transport[],
): Case[] =>
  transports.flatMap((transport) =>
    rows.flatMap((row) =>
      kinds.map((kind) => ({
        ...row,
        name: transport.name,
        transport,
        kind,
        call: kind.call,
        attempts: attemptsFor[row.tells][kind.replay],
      })),
    ),
  )

/** Makes a call of a kind under a fault, and says what was seen of it on both sides. */
export async function outcomeOf(
  { kind, transport, does }: Pick<Case, 'kind' | 'transport' | 'does'>,
  { target, baseUrl, ...options }: ClientOptions & { target?: string } = {},
) {
  const proxy = await FaultProxy.start({ target, script: () => does })
  const { records: heard, options: hooks } = hookRecorder()
  const url = String(baseUrl ?? proxy.url)
  const clients = clientsOver(transport, url, { maxResponseBytes: 2 ** 20, ...hooks, ...options })
  try {
    const headers = { 'x-call': canary.callHeader }
    const error: unknown = await kind.send(clients, { headers }).then(
      () => expect.fail('the call succeeded'),
      (thrown: unknown) => thrown,
    )
    return { error, heard, seen: proxy.requests, connections: proxy.connections, waits: clients.waits }
  } finally {
    // Requests that are left in the air end with the proxy: the pools wait for them.
    await proxy.close()
    await clients.close()
  }
}

type Outcome = Awaited<ReturnType<typeof outcomeOf>>

/** Holds an outcome against the rules of its row. */
export function expectRules({ error, seen, heard, waits }: Outcome, row: Case): void {
  const { kind, tells, attempts } = row
  // First of all, since it tells the most where anything else is not as expected.
  expectTold(error, row, seen[0]?.idempotencyKey)
  expect(seen, printed(...heard)).toHaveLength(tells === 'unsent' ? 0 : attempts)
  expectOneRequest(seen, kind)
  expect(waits).toEqual((row.waits ?? firstWaits).slice(0, attempts - 1))
  expect(leaks(error, ...heard)).toEqual([])
}

/** What is sent again is the same to the last byte, under the same key or under none. */
function expectOneRequest(seen: Outcome['seen'], { isBillable, lastPath }: Kind): void {
  for (const { idempotencyKey, path } of seen) {
    expect(idempotencyKey).toEqual(isBillable ? expect.stringMatching(uuid) : undefined)
    expect(path.endsWith(lastPath)).toBe(true)
  }
  const sent = seen.map(({ method, path, headers }) => JSON.stringify([method, path, headers]))
  expect(new Set(sent).size).toBeLessThanOrEqual(1)
  const bodies = seen.flatMap(({ sha256 }) => sha256 ?? [])
  expect(new Set(bodies).size).toBeLessThanOrEqual(1)
}

function expectTold(error: unknown, { kind, tells, attempts, error: facts }: Case, key: unknown): void {
  const { name, ...more } = facts
  const keyed = kind.isBillable ? { idempotencyKey: key ?? expect.stringMatching(uuid) } : {}
  const isAnswered = tells !== 'unsent' && tells !== 'unanswered' && tells !== 'late'
  const fate = isAnswered ? {} : { mayHaveArrived: tells !== 'unsent' }
  const told = { name, attempts, ...more, ...fate, ...keyed }
  const isUnknown = kind.isBillable && (tells === 'unanswered' || tells === 'late')
  if (isUnknown) {
    expect(error).toMatchObject({ name: 'OutcomeUnknownError', code: 'outcome_unknown', attempts, ...keyed })
    expect((error as Error).cause).toMatchObject(told)
  } else expect(error).toMatchObject(told)
  if (!kind.isBillable) expect(error).not.toHaveProperty('idempotencyKey')
}
