import { expect, it } from 'vitest'
import { testOrg } from '../support/org-client.ts'
import { type RosterOperation, rosterOperations } from '../support/roster-operations.ts'
import {
  breakConnection,
  fail,
  hang,
  hangThen,
  refuseConnection,
  respond,
  type Step,
  scriptedFetch,
  succeed,
} from '../support/scripted-fetch.ts'

const safe = rosterOperations.filter(({ isSafe }) => isSafe)
const writes = rosterOperations.filter(({ isSafe }) => !isSafe)

async function attempt(operation: RosterOperation, ...steps: Step[]) {
  const timesOut = hangThen(() => advance(50))
  const script = steps.map((step) => (step === hang ? timesOut : step))
  const { fetch, requests } = scriptedFetch(...script, succeed(operation.data))
  const { org, waits, advance } = testOrg({ fetch })
  const outcome = await operation.call(org, { timeoutMs: 50 }).then(
    () => 'done' as const,
    (error: unknown) => error,
  )
  return { outcome, attempts: requests.length, waits }
}

const notExecuted: [string, Step][] = [
  ['429', fail(429, 'rate_limited')],
  ['a refused connection', refuseConnection],
]

const ambiguous: [string, Step][] = [
  // The contract calls it safe to retry for the verification API only.
  ['500 internal_error', fail(500, 'internal_error')],
  ['a reset', breakConnection],
  ['a timeout', hang],
  ['408', respond(408)],
  ['500 server_error', fail(500, 'server_error')],
  ['502', respond(502, '<html>')],
  ['503', fail(503, 'activation_failed')],
  ['504', respond(504)],
]

const pairs = (operations: readonly RosterOperation[], failures: readonly [string, Step][]) =>
  operations.flatMap((operation) =>
    failures.map(([failure, step]) => ({ name: operation.name, operation, failure, step })),
  )

it.each(pairs(rosterOperations, notExecuted))(
  '$name is retried after $failure',
  async ({ operation, step }) => {
    expect(await attempt(operation, step)).toMatchObject({ outcome: 'done', attempts: 2 })
  },
)

it.each(pairs(safe, ambiguous))('$name is retried after $failure', async ({ operation, step }) => {
  expect(await attempt(operation, step)).toMatchObject({ outcome: 'done', attempts: 2 })
})

it.each(pairs(writes, ambiguous))(
  '$name is not retried after $failure, because it may have been executed',
  async ({ operation, step }) => {
    const { outcome, attempts } = await attempt(operation, step)
    expect(outcome).toMatchObject({ operation: operation.name, attempts: 1 })
    expect(attempts).toBe(1)
  },
)

const final: [string, Step][] = [
  ['400', fail(400, 'invalid_request')],
  ['401', fail(401, 'invalid_client')],
  ['403', fail(403, 'unauthorized_client')],
  ['404', fail(404, 'not_found')],
  ['409', fail(409, 'already_active')],
  ['500 misconfigured', fail(500, 'misconfigured')],
]

it.each(pairs(rosterOperations, final))(
  '$name is not retried after $failure',
  async ({ operation, step }) => {
    expect((await attempt(operation, step)).attempts).toBe(1)
  },
)

it('mayHaveArrived is false if no byte of a write was sent, and true if the connection broke later', async () => {
  const deactivate = rosterOperations.find(({ name }) => name === 'members.deactivate') as RosterOperation

  expect((await attempt(deactivate, breakConnection)).outcome).toMatchObject({
    code: 'connection_failed',
    mayHaveArrived: true,
  })
  const { outcome } = await attempt(deactivate, refuseConnection, refuseConnection, refuseConnection)
  expect(outcome).toMatchObject({ code: 'connection_failed', mayHaveArrived: false, attempts: 3 })
})

it('waits as long as Retry-After specifies before it retries an invite', async () => {
  const invite = rosterOperations.find(({ name }) => name === 'members.invite') as RosterOperation
  const { outcome, waits } = await attempt(invite, fail(429, 'rate_limited', { 'retry-after': '7' }))
  expect([outcome, waits]).toEqual(['done', [7000]])
})
