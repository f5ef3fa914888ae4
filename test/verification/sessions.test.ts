import { expect, it } from 'vitest'
import { InvalidResponseError, NotFoundError, UnprocessableError } from '../../src/errors.ts'
import { aDecision, aSession, idCheck, livenessCheck, noDecisionYet } from '../support/fixtures.ts'
import { ok, refused, reset, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

it('creates a session from no params at all, since the contract does not say which are mandatory', async () => {
  service.answers('POST /api/v2/session', ok(aSession()))
  const { client } = testClient()

  await client.sessions.create()

  expect(await service.requests[0]?.json()).toEqual({})
})

it.each([-1, 0, 1, 31_536_000, Number.MAX_SAFE_INTEGER])(
  'sends ttl_seconds %d as it is',
  async (ttl_seconds) => {
    service.answers('POST /api/v2/session', ok(aSession()))
    const { client } = testClient()

    await client.sessions.create({ ttl_seconds })

    expect(await service.requests[0]?.json()).toEqual({ ttl_seconds })
  },
)

it('sends fields of a session that this version does not know', async () => {
  service.answers('POST /api/v2/session', ok(aSession()))
  const { client } = testClient()
  const params = { workflow_id: 'wf_1', locale: 'fr-CA', theme: { dark: true } }

  await client.sessions.create(params)

  expect(await service.requests[0]?.json()).toEqual(params)
})

it('leaves it to the service whether a callback is allowed', async () => {
  service.answers('POST /api/v2/session', refused(422, 'callback_not_allowed'))
  const { client } = testClient()

  const error: unknown = await client.sessions
    .create({ callback: 'http://127.0.0.1:8080/hooks' })
    .catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(UnprocessableError)
  expect(error).toMatchObject({ code: 'callback_not_allowed', retryable: false })
})

it.each([
  ['a reset in mid-flight', () => reset()],
  ['a 503', () => refused(503, 'engine_unreachable')],
  ['a 408', () => refused(408, 'timeout')],
  ['a 500 of another code than internal_error', () => refused(500, 'server_error')],
])('never creates a second session after %s', async (_, answer) => {
  service.answers('POST /api/v2/session', answer)
  const { client } = testClient()

  await expect(client.sessions.create({ workflow_id: 'wf_1' })).rejects.toMatchObject({ attempts: 1 })

  expect(service.requests).toHaveLength(1)
})

it.each([
  ['429', () => refused(429, 'rate_limited')],
  ['internal_error, which the contract calls safe', () => refused(500, 'internal_error')],
])('creates a session at the second attempt after %s, under the same key', async (_, answer) => {
  service.answers('POST /api/v2/session', answer, ok(aSession()))
  const { client, waits } = testClient()

  const { response } = await client.sessions.create({}, { idempotencyKey: 'order-42' }).withResponse()

  expect(response.attempts).toBe(2)
  expect(waits).toEqual([500])
  expect(service.requests.map(({ headers }) => headers.get('idempotency-key'))).toEqual([
    'order-42',
    'order-42',
  ])
})

it('keeps all fields of a session, also those that the contract only names or does not know', async () => {
  const session = aSession({
    workflow: { id: 'wf_1' },
    vendor_data: 'user-42',
    created_at: '2026-01-01T00:00:00Z',
    a_later_field: [1, { two: 3 }],
  })
  service.answers('GET /api/v2/session/sess_1', ok(session))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await client.sessions.retrieve('sess_1')).toEqual(session)
})

it('lists one page without params and sends no query', async () => {
  service.answers('GET /api/v2/session', ok([]))
  const { client } = testClient()

  expect(await client.sessions.list()).toEqual([])
  expect(new URL(service.requests[0]?.url ?? '').search).toBe('')
})

it('lists by a status that this version does not know, and by fields it does not know', async () => {
  service.answers('GET /api/v2/session', ok([]))
  const { client } = testClient()
  const params = { status: 'ON_HOLD', limit: 0, vendor_data: undefined, cursor: 'abc=' }

  await client.sessions.list(params)

  const query = new URL(service.requests[0]?.url ?? '').searchParams
  expect([...query]).toEqual([
    ['status', 'ON_HOLD'],
    ['limit', '0'],
    ['cursor', 'abc='],
  ])
})

it('keeps what came beside a page of sessions in the envelope', async () => {
  const page = { success: true, data: [aSession()], error: null, pagination: { next: 'abc' } }
  service.answers('GET /api/v2/session', () => Response.json(page))
  const { client } = testClient()

  const { data, response } = await client.sessions.list().withResponse()

  expect(data).toEqual([aSession()])
  expect(response.envelope).toEqual(page)
  expect(JSON.stringify(response)).not.toContain('abc')
})

it.each([
  'NOT_STARTED',
  'IN_PROGRESS',
  'IN_REVIEW',
  'APPROVED',
  'DECLINED',
  'ABANDONED',
  'EXPIRED',
  'A_STATUS_TO_COME',
])('gives the status %s as it came', async (status) => {
  service.answers('GET /api/v2/session/sess_1', ok(aSession({ status })))
  service.answers('GET /api/v2/session/sess_1/decision', ok(noDecisionYet({ status })))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await client.sessions.retrieve('sess_1')).toMatchObject({ status })
  expect(await client.sessions.decision('sess_1')).toMatchObject({ status, decision: null })
})

it('gives a session that goes back to an earlier status: transitions are the service’s to judge', async () => {
  service.answers(
    'GET /api/v2/session/sess_1',
    ok(aSession({ status: 'DECLINED' })),
    ok(aSession({ status: 'NOT_STARTED' })),
  )
  const { client } = testClient({ responseValidation: 'strict' })

  const first = await client.sessions.retrieve('sess_1')
  const second = await client.sessions.retrieve('sess_1')

  expect([first.status, second.status]).toEqual(['DECLINED', 'NOT_STARTED'])
})

it('gives a decision in full', async () => {
  const decision = aDecision({ reviewed_by: 'ops', checks: [idCheck(), livenessCheck({ status: 'failed' })] })
  service.answers('GET /api/v2/session/sess_1/decision', ok(decision))
  const { client } = testClient()

  expect(await client.sessions.decision('sess_1')).toEqual(decision)
})

it.each([
  ['a null decided_at', { decided_at: null }],
  ['no decided_at', { decided_at: undefined }],
])('gives a pending decision as null, with %s', async (_, pending) => {
  service.answers('GET /api/v2/session/sess_1/decision', ok(noDecisionYet(pending)))
  const { client } = testClient()

  expect(await client.sessions.decision('sess_1')).toMatchObject({ status: 'IN_PROGRESS', decision: null })
})

it.each(['APPROVED', 'DECLINED'])('never reads an outcome out of the status %s', async (status) => {
  service.answers('GET /api/v2/session/sess_1/decision', ok(noDecisionYet({ status })))
  const { client } = testClient()

  expect(await client.sessions.decision('sess_1')).toMatchObject({ status, decision: null })
})

const modes = ['strict', 'warn', 'off'] as const
const noOutcomes = ['IN_REVIEW', 'approved', 'PENDING', '', true, {}, undefined]

it.each(modes.flatMap((mode) => noOutcomes.map((decision) => ({ mode, decision }))))(
  'refuses the decision $decision under responseValidation $mode',
  async ({ mode, decision }) => {
    service.answers('GET /api/v2/session/sess_1/decision', ok(aDecision({ decision })))
    const { client } = testClient({ responseValidation: mode })

    const error: unknown = await client.sessions.decision('sess_1').catch((thrown: unknown) => thrown)

    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ status: 200, requestId: 'req_ok', operation: 'sessions.decision' })
    expect(error).toHaveProperty('message', expect.stringContaining('decision'))
  },
)

it.each([
  ['checks that are no list', { checks: {} }],
  ['a check without a type', { checks: [{ status: 'passed', data: {} }] }],
  ['a check whose data is of another type', { checks: [idCheck({ data: { fields: 'none' } })] }],
  ['a status that is no text', { status: 7 }],
])('refuses a decision with %s', async (_, over) => {
  service.answers('GET /api/v2/session/sess_1/decision', ok(aDecision(over)))
  const { client } = testClient({ responseValidation: 'off' })

  await expect(client.sessions.decision('sess_1')).rejects.toBeInstanceOf(InvalidResponseError)
})

it('tells an unknown workflow from other things that are not found', async () => {
  service.answers('POST /api/v2/session', refused(404, 'workflow_not_found'))
  const { client } = testClient()

  const error: unknown = await client.sessions
    .create({ workflow_id: 'wf_foreign' })
    .catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(NotFoundError)
  expect(error).toHaveProperty('code', 'workflow_not_found')
})
