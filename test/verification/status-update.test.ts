import { expect, it } from 'vitest'
import { isErrorCode } from '../../src/errors.ts'
import { aSession } from '../support/fixtures.ts'
import { ok, refused, reset, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const change = 'PATCH /api/v2/session/sess_1/status'
const read = 'GET /api/v2/session/sess_1'
const approved = () => ok(aSession({ status: 'APPROVED' }))
const inReview = () => ok(aSession({ status: 'IN_REVIEW' }))
const unreachable = () => refused(503, 'engine_unreachable')

const ambiguous = [
  ['a reset', reset],
  ['a 408', () => refused(408, 'timeout')],
  ['a 500', () => refused(500, 'server_error')],
  ['a 502', () => refused(502, 'bad_gateway')],
  ['a 503', unreachable],
  ['a 504', () => refused(504, 'gateway_timeout')],
] as const

it.each(ambiguous)(
  'takes an override for done when the session has its status after %s',
  async (_, answer) => {
    service.answers(change, answer)
    service.answers(read, approved())
    const { client, waits } = testClient()

    const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

    expect(session).toEqual(aSession({ status: 'APPROVED' }))
    expect(service.lines).toEqual([change, read])
    expect(waits).toEqual([])
  },
)

it.each(ambiguous)('overrides again when the session has another status after %s', async (_, answer) => {
  service.answers(change, answer, approved())
  service.answers(read, inReview())
  const { client, waits } = testClient()

  const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(session.status).toBe('APPROVED')
  expect(service.lines).toEqual([change, read, change])
  expect(waits).toEqual([500])
})

it('throws the first failure when the session cannot be read either', async () => {
  service.answers(change, unreachable)
  service.answers(read, refused(404, 'not_found'))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable', operation: 'sessions.updateStatus' })
})

it.each([0, 1, 2])('overrides at most once more than maxRetries (%d), reads aside', async (maxRetries) => {
  const times = maxRetries + 1
  service.answers(change, ...Array.from({ length: times }, () => unreachable))
  service.answers(read, ...Array.from({ length: times }, () => inReview))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { maxRetries })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable' })
  expect(service.lines.filter((line) => line === change)).toHaveLength(times)
})

it('counts the attempts of every round against maxRetries', async () => {
  const busy = () => refused(429, 'rate_limited')
  service.answers(change, unreachable, busy, busy)
  service.answers(read, inReview())
  const { client } = testClient({ maxRetries: 2 })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'rate_limited' })
  expect(service.lines).toEqual([change, read, change, change])
})

it.each([
  ['429', () => refused(429, 'rate_limited', {}, { 'retry-after': '3' }), 3000],
  ['internal_error, which the contract calls safe', () => refused(500, 'internal_error'), 500],
])('repeats an override without a read after %s', async (_, answer, waitMs) => {
  service.answers(change, answer, approved())
  const { client, waits } = testClient()

  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(service.lines).toEqual([change, change])
  expect(waits).toEqual([waitMs])
})

it('takes already_decided for done when it answers our own repeat', async () => {
  service.answers(change, unreachable, refused(409, 'already_decided', { status: 'APPROVED' }))
  service.answers(read, inReview(), approved())
  const { client } = testClient()

  const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(session.status).toBe('APPROVED')
  expect(service.lines).toEqual([change, read, change, read])
})

it('throws already_decided when somebody else decided otherwise in the meantime', async () => {
  service.answers(change, unreachable, refused(409, 'already_decided', { status: 'DECLINED' }))
  service.answers(read, inReview(), ok(aSession({ status: 'DECLINED' })))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'already_decided' })
})

it('throws already_decided at once, with the status that stands, when it answers the first attempt', async () => {
  service.answers(change, refused(409, 'already_decided', { status: 'APPROVED' }))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })
  const error: unknown = await call.catch((thrown: unknown) => thrown)

  expect(isErrorCode(error, 'already_decided') && error.details).toEqual({ status: 'APPROVED' })
  expect(service.lines).toEqual([change])
})

it.each([
  [409, 'review_not_pending', 'ConflictError'],
  [409, 'required_face_checks_incomplete', 'ConflictError'],
  [409, 'session_closed', 'ConflictError'],
  [410, 'session_expired', 'GoneError'],
] as const)('throws %d %s as %s, without a read or a repeat', async (status, code, name) => {
  service.answers(change, refused(status, code))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ name, code, status, retryable: false })
  expect(service.lines).toEqual([change])
})

it('sends an override whatever status the session was last seen in', async () => {
  service.answers(read, ok(aSession({ status: 'EXPIRED' })))
  service.answers(change, approved())
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')
  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(service.lines).toEqual([read, change])
})

it('waits as long as Retry-After says before it overrides again', async () => {
  service.answers(change, refused(503, 'engine_unreachable', {}, { 'retry-after': '7' }), approved())
  service.answers(read, inReview())
  const { client, waits } = testClient()

  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(waits).toEqual([7000])
})

it.each([
  ['more than a minute', '61', {}],
  ['longer than the deadline', '5', { deadlineMs: 4000 }],
])('gives up at once when Retry-After asks for %s', async (_, seconds, options) => {
  service.answers(change, refused(503, 'engine_unreachable', {}, { 'retry-after': seconds }))
  service.answers(read, inReview())
  const { client, waits } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, options)

  await expect(call).rejects.toMatchObject({
    code: 'engine_unreachable',
    retryAfterMs: Number(seconds) * 1000,
  })
  expect(waits).toEqual([])
})

it('bounds all of an override by its deadline, the waits between attempts included', async () => {
  service.answers(change, unreachable)
  service.answers(read, inReview())
  const { client, waits } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { deadlineMs: 400 })

  await expect(call).rejects.toMatchObject({
    code: 'timeout',
    limit: 'deadlineMs',
    limitMs: 400,
    mayHaveArrived: true,
    cause: { code: 'engine_unreachable' },
  })
  expect(waits).toEqual([])
})

it('reads nothing once the deadline has passed', async () => {
  const { client, passTime } = testClient()
  service.answers(change, () => {
    passTime(500)
    return unreachable()
  })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { deadlineMs: 400 })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable' })
  expect(service.lines).toEqual([change])
})

it('ends with an AbortedError that owns up to the first attempt when aborted between attempts', async () => {
  service.answers(change, unreachable)
  service.answers(read, inReview())
  const controller = new AbortController()
  const { client } = testClient({ sleep: async () => controller.abort(new Error('enough')) })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({
    code: 'aborted',
    mayHaveArrived: true,
    cause: { message: 'enough' },
  })
  expect(service.lines).toEqual([change, read])
})

it('reads nothing once the caller has aborted', async () => {
  const controller = new AbortController()
  service.answers(change, () => {
    controller.abort()
    return unreachable()
  })
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ code: 'aborted', mayHaveArrived: true })
  expect(service.lines).toEqual([change])
})
