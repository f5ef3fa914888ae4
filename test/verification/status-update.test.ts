import { expect, it } from 'vitest'
import { aSession } from '../support/fixtures.ts'
import { errorResponse, ok, reset, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const override = 'PATCH /api/v2/session/sess_1/status'
const read = 'GET /api/v2/session/sess_1'
const approved = () => ok(aSession({ status: 'APPROVED' }))
const inReview = () => ok(aSession({ status: 'IN_REVIEW' }))
const unreachable = () => errorResponse(503, 'engine_unreachable')

const ambiguous = [
  ['a reset', reset],
  ['a 408', () => errorResponse(408, 'timeout')],
  ['a 500', () => errorResponse(500, 'server_error')],
  ['a 502', () => errorResponse(502, 'bad_gateway')],
  ['a 503', unreachable],
  ['a 504', () => errorResponse(504, 'gateway_timeout')],
  ['a 520', () => errorResponse(520, 'unknown_error')],
] as const

it.each(ambiguous)('succeeds if the session has the requested status after %s', async (_, response) => {
  service.respondTo(override, response)
  service.respondTo(read, approved())
  const { client, waits } = testClient()

  const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(session).toEqual(aSession({ status: 'APPROVED' }))
  expect(service.lines).toEqual([override, read])
  expect(waits).toEqual([])
})

it.each(ambiguous)('retries the override if the session has another status after %s', async (_, response) => {
  service.respondTo(override, response, approved())
  service.respondTo(read, inReview())
  const { client, waits } = testClient()

  const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(session.status).toBe('APPROVED')
  expect(service.lines).toEqual([override, read, override])
  expect(waits).toEqual([500])
})

it.each(['invalid_config', 'misconfigured'])(
  'does not retry the override after %s, because no retry helps',
  async (code) => {
    service.respondTo(override, errorResponse(500, code))
    service.respondTo(read, inReview())
    const { client } = testClient()

    const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

    await expect(call).rejects.toMatchObject({ code })
    expect(service.lines).toEqual([override, read])
  },
)

it('throws the first failure if reading the session fails too', async () => {
  service.respondTo(override, unreachable)
  service.respondTo(read, errorResponse(404, 'not_found'))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable', operation: 'sessions.updateStatus' })
})

it.each([0, 1, 2])('sends at most maxRetries (%d) plus one overrides, not counting reads', async (maxRetries) => {
  const times = maxRetries + 1
  service.respondTo(override, ...Array.from({ length: times }, () => unreachable))
  service.respondTo(read, ...Array.from({ length: times }, () => inReview))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { maxRetries })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable' })
  expect(service.lines.filter((line) => line === override)).toHaveLength(times)
})

it('counts the attempts of every round toward maxRetries', async () => {
  const busy = () => errorResponse(429, 'rate_limited')
  service.respondTo(override, unreachable, busy, busy)
  service.respondTo(read, inReview())
  const { client } = testClient({ maxRetries: 2 })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'rate_limited' })
  expect(service.lines).toEqual([override, read, override, override])
})

it.each([
  ['429', () => errorResponse(429, 'rate_limited', {}, { 'retry-after': '3' }), 3000],
  ['internal_error, which the contract calls safe to retry', () => errorResponse(500, 'internal_error'), 500],
])('retries an override without a read after %s', async (_, response, waitMs) => {
  service.respondTo(override, response, approved())
  const { client, waits } = testClient()

  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(service.lines).toEqual([override, override])
  expect(waits).toEqual([waitMs])
})

it('treats already_decided as success if an earlier attempt recorded the verdict', async () => {
  service.respondTo(override, unreachable, errorResponse(409, 'already_decided', { status: 'APPROVED' }))
  service.respondTo(read, inReview(), approved())
  const { client } = testClient()

  const session = await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(session.status).toBe('APPROVED')
  expect(service.lines).toEqual([override, read, override, read])
})

it('throws already_decided if another caller recorded a different verdict', async () => {
  service.respondTo(override, unreachable, errorResponse(409, 'already_decided', { status: 'DECLINED' }))
  service.respondTo(read, inReview(), ok(aSession({ status: 'DECLINED' })))
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  await expect(call).rejects.toMatchObject({ code: 'already_decided' })
})

it('sends an override even if the session was last read as EXPIRED', async () => {
  service.respondTo(read, ok(aSession({ status: 'EXPIRED' })))
  service.respondTo(override, approved())
  const { client } = testClient()

  await client.sessions.retrieve('sess_1')
  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(service.lines).toEqual([read, override])
})

it('waits as long as Retry-After specifies before it retries the override', async () => {
  service.respondTo(override, errorResponse(503, 'engine_unreachable', {}, { 'retry-after': '7' }), approved())
  service.respondTo(read, inReview())
  const { client, waits } = testClient()

  await client.sessions.updateStatus('sess_1', { status: 'APPROVED' })

  expect(waits).toEqual([7000])
})

it.each([
  ['more than a minute', '61', {}],
  ['longer than the deadline', '5', { deadlineMs: 4000 }],
])('fails at once if Retry-After is %s', async (_, seconds, options) => {
  service.respondTo(override, errorResponse(503, 'engine_unreachable', {}, { 'retry-after': seconds }))
  service.respondTo(read, inReview())
  const { client, waits } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, options)

  await expect(call).rejects.toMatchObject({
    code: 'engine_unreachable',
    retryAfterMs: Number(seconds) * 1000,
  })
  expect(waits).toEqual([])
})

it('bounds the whole override by deadlineMs, including waits between attempts', async () => {
  service.respondTo(override, unreachable)
  service.respondTo(read, inReview())
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

it('does not read the session after the deadline has passed', async () => {
  const { client, passTime } = testClient()
  service.respondTo(override, () => {
    passTime(500)
    return unreachable()
  })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { deadlineMs: 400 })

  await expect(call).rejects.toMatchObject({ code: 'engine_unreachable' })
  expect(service.lines).toEqual([override])
})

it('throws AbortedError with mayHaveArrived true if aborted between attempts', async () => {
  service.respondTo(override, unreachable)
  service.respondTo(read, inReview())
  const controller = new AbortController()
  const { client } = testClient({ sleep: async () => controller.abort(new Error('enough')) })

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({
    code: 'aborted',
    mayHaveArrived: true,
    cause: { message: 'enough' },
  })
  expect(service.lines).toEqual([override, read])
})

it('does not read the session after the caller has aborted', async () => {
  const controller = new AbortController()
  service.respondTo(override, () => {
    controller.abort()
    return unreachable()
  })
  const { client } = testClient()

  const call = client.sessions.updateStatus('sess_1', { status: 'APPROVED' }, { signal: controller.signal })

  await expect(call).rejects.toMatchObject({ code: 'aborted', mayHaveArrived: true })
  expect(service.lines).toEqual([override])
})
