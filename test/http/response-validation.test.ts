import { expect, it, vi } from 'vitest'
import { InvalidResponseError } from '../../src/index.ts'
import { aDecision, aSession, livenessCheck, pendingDecision } from '../support/fixtures.ts'
import { testOrg } from '../support/org-client.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { silentLogger } from '../support/silent-logger.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { testClient } from '../support/verification-client.ts'

const modes = ['strict', 'warn', 'off'] as const

/** A client whose calls all return `data`, and the warnings that its logger receives. */
function clientOf(data: unknown, responseValidation?: (typeof modes)[number]) {
  const { logger, warnings } = recordingLogger()
  const { fetch } = scriptedFetch(succeed(data))
  const { client } = testClient({ fetch, logger, ...(responseValidation && { responseValidation }) })
  return { client, warnings }
}

const inEachMode = <Row>(rows: readonly (readonly [what: string, row: Row])[]) =>
  modes.flatMap((mode) => rows.map(([what, row]) => [what, mode, row] as const))

const misshapen = { ...aSession(), features: 'none', expires_at: 12 }

it('warns once for each operation by default, and returns the data unchanged', async () => {
  const { client, warnings } = clientOf(misshapen)

  const first = await client.sessions.retrieve('sess_1')
  await client.sessions.retrieve('sess_2')
  await client.sessions.create()

  expect(first).toEqual(misshapen)
  const message = (operation: string) => `${operation}: the response is not as documented`
  const fields = ['features', 'expires_at']
  expect(warnings).toEqual([
    [message('sessions.retrieve'), { operation: 'sessions.retrieve', fields }],
    [message('sessions.create'), { operation: 'sessions.create', fields }],
  ])
})

it("rejects a field of another type than documented if responseValidation is 'strict'", async () => {
  const { client } = clientOf(misshapen, 'strict')

  const error = await thrownBy(client.sessions.retrieve('sess_1'))

  expect(error).toBeInstanceOf(InvalidResponseError)
  expect((error as Error).message).toContain('(features, expires_at)')
})

it("names the payload 'data' in the message if it has another type itself", async () => {
  const { client } = clientOf({ sessions: [] }, 'strict')

  await expect(client.sessions.list()).rejects.toThrow('sessions.list: the response is not as documented (data)')
})

it("returns any data without a warning if responseValidation is 'off'", async () => {
  const { client, warnings } = clientOf(misshapen, 'off')

  await expect(client.sessions.retrieve('sess_1')).resolves.toEqual(misshapen)
  expect(warnings).toEqual([])
})

const checkWith = (over: object) => aDecision({ checks: [livenessCheck(), livenessCheck(over)] })

it.each(
  inEachMode([
    ['an unknown outcome', aDecision({ decision: 'MAYBE' })],
    ['an outcome in lower case', aDecision({ decision: 'approved' })],
    ['an outcome that is a boolean', aDecision({ decision: true })],
    ['a status that is a number', aDecision({ status: 7 })],
    ['no status', aDecision({ status: undefined })],
    ['checks that are an object', aDecision({ checks: {} })],
    ['a check that is null', aDecision({ checks: [null] })],
    ['a check without a type', checkWith({ type: undefined })],
    ['a check whose type is a number', checkWith({ type: 7 })],
    ['a check without a status', checkWith({ status: undefined })],
    ['a check whose status is a boolean', checkWith({ status: true })],
  ]),
)('rejects a decision with %s if responseValidation is %s', async (_, mode, decision) => {
  const { client } = clientOf(decision, mode)

  await expect(client.sessions.decision('sess_1')).rejects.toBeInstanceOf(InvalidResponseError)
})

it.each(modes)('returns an absent outcome as null if responseValidation is %s', async (mode) => {
  const { client, warnings } = clientOf(aDecision({ decision: undefined }), mode)

  // The status alone is never turned into an outcome.
  await expect(client.sessions.decision('sess_1')).resolves.toEqual(aDecision({ decision: null }))
  expect(warnings).toEqual([])
})

it.each(
  inEachMode([
    ['absent', undefined],
    ['null', null],
  ]),
)('returns checks that are %s as an empty list if responseValidation is %s', async (_, mode, checks) => {
  const { client, warnings } = clientOf(aDecision({ checks }), mode)

  await expect(client.sessions.decision('sess_1')).resolves.toEqual(aDecision({ checks: [] }))
  expect(warnings).toEqual([])
})

it.each(modes)('accepts the decision null of a pending session if responseValidation is %s', async (mode) => {
  const { client } = clientOf(pendingDecision(), mode)

  await expect(client.sessions.decision('sess_1')).resolves.toEqual(pendingDecision())
})

it('names at most 20 fields of a response in the message', async () => {
  const { client } = clientOf(
    Array.from({ length: 1000 }, () => 1),
    'strict',
  )

  const error = await thrownBy(client.sessions.list())

  const [, fields = ''] = /\((.*?)\)/.exec((error as Error).message) ?? []
  expect(fields.split(', ')).toHaveLength(20)
})

/** Counts how often a member of the lists in a response is read. */
function countReads() {
  const reads = { count: 0 }
  const { parse } = JSON
  const counted = (list: unknown[]) =>
    new Proxy(list, {
      get(target, name, receiver) {
        reads.count += 1
        return Reflect.get(target, name, receiver)
      },
    })
  vi.spyOn(JSON, 'parse').mockImplementation((text) =>
    parse(text, (_, value) => (Array.isArray(value) ? counted(value) : value)),
  )
  return reads
}

const wrongMembers = Array.from({ length: 200_000 }, () => ({ data: {} }))

const responding = (data: unknown, responseValidation: (typeof modes)[number]) => {
  const body = JSON.stringify({ success: true, data })
  return { fetch: async () => new Response(body), maxRetries: 0, responseValidation, logger: silentLogger }
}

it.each(modes)('stops at the first hundred wrong members of a list: %s', async (mode) => {
  const sessions = responding(wrongMembers, mode)
  const members = responding({ members: wrongMembers, organization: { id: 1, name: 'Example' } }, mode)
  const reads = countReads()

  const calls = await Promise.allSettled([
    testClient(sessions).client.sessions.list(),
    testOrg(members).org.members.list(),
  ])

  const expected = mode === 'strict' ? { reason: { name: 'InvalidResponseError' } } : { status: 'fulfilled' }
  expect(calls).toMatchObject([expected, expected])
  expect(reads.count).toBeLessThan(10_000)
})

it.each(modes)('a decision with very many wrong checks is an InvalidResponseError: %s', async (mode) => {
  const { client } = testClient(responding({ ...aDecision(), checks: wrongMembers }, mode))

  await expect(client.sessions.decision('sess_1')).rejects.toThrow(InvalidResponseError)
})

it('timeoutMs ends a call whose response takes longer to be parsed', async () => {
  const { parse } = JSON
  const { fetch } = scriptedFetch(succeed(aSession()))
  const test = testClient({ fetch, timeoutMs: 150, maxRetries: 0 })
  vi.spyOn(JSON, 'parse').mockImplementation((text) => {
    test.passTime(150)
    return parse(text)
  })

  await expect(test.client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'TimeoutError',
    limit: 'timeoutMs',
    mayHaveArrived: true,
  })
})
