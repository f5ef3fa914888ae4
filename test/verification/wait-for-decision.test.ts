import { expect, it } from 'vitest'
import { AbortedError, SessionEndedError, WaitTimeoutError } from '../../src/errors.ts'
import { aDecision, aSession, noDecisionYet } from '../support/fixtures.ts'
import { ok, refused, reset, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'
const readDecision = 'GET /api/v2/session/sess_1/decision'
const inStatus = (status: string) => ok(aSession({ status }))
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

it.each(['APPROVED', 'DECLINED'])('ends with the decision once the session is %s', async (outcome) => {
  service.answers(read, inStatus('NOT_STARTED'), inStatus('IN_PROGRESS'), inStatus(outcome))
  service.answers(readDecision, ok(aDecision({ status: outcome, decision: outcome })))
  const { client } = testClient()

  const decision = await client.sessions.waitForDecision('sess_1')

  expect(decision).toEqual(aDecision({ status: outcome, decision: outcome }))
  expect(service.lines).toEqual([read, read, read, readDecision])
})

it('asks less and less often: the pause grows from pollIntervalMs to eight times that', async () => {
  service.answers(read, ...times(9, () => inStatus('IN_PROGRESS')), inStatus('APPROVED'))
  service.answers(readDecision, ok(aDecision()))
  const { client, waits } = testClient()

  await client.sessions.waitForDecision('sess_1', { pollIntervalMs: 1000 })

  expect(waits).toEqual([1000, 1500, 2250, 3375, 5062.5, 7593.75, 8000, 8000, 8000])
})

it('waits on through statuses that it does not know', async () => {
  service.answers(read, inStatus('ON_HOLD'), inStatus('IN_REVIEW'), inStatus('APPROVED'))
  service.answers(readDecision, ok(aDecision()))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'APPROVED' })
})

it('gives up after timeoutMs and tells the last status', async () => {
  service.answers(read, ...times(3, () => inStatus('IN_PROGRESS')))
  const { client, waits } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { pollIntervalMs: 1000, timeoutMs: 3000 })
  const error: unknown = await wait.catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(WaitTimeoutError)
  expect(error).toMatchObject({
    code: 'wait_timeout',
    sessionId: 'sess_1',
    timeoutMs: 3000,
    lastStatus: 'IN_PROGRESS',
  })
  expect(waits).toEqual([1000, 1500, 500])
})

it('ends at once when the signal aborts, also in the middle of a pause', async () => {
  service.answers(read, inStatus('IN_PROGRESS'))
  const controller = new AbortController()
  const { client } = testClient({ sleep: async () => controller.abort(new Error('page left')) })

  const wait = client.sessions.waitForDecision('sess_1', { signal: controller.signal })
  const error: unknown = await wait.catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({ code: 'aborted', cause: { message: 'page left' } })
})

it('sends nothing when the signal was aborted before', async () => {
  const { client } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { signal: AbortSignal.abort() })

  await expect(wait).rejects.toBeInstanceOf(AbortedError)
  expect(service.requests).toEqual([])
})

it('stops at IN_REVIEW on request, without an outcome', async () => {
  const pending = noDecisionYet({ status: 'IN_REVIEW' })
  service.answers(read, inStatus('IN_PROGRESS'), inStatus('IN_REVIEW'))
  service.answers(readDecision, ok(pending))
  const { client } = testClient()

  expect(await client.sessions.waitForDecision('sess_1', { until: 'IN_REVIEW' })).toEqual(pending)
})

it.each(['ABANDONED', 'EXPIRED'])('ends with a SessionEndedError once the session is %s', async (status) => {
  service.answers(read, inStatus('IN_PROGRESS'), inStatus(status))
  const { client } = testClient()

  const error: unknown = await client.sessions.waitForDecision('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(SessionEndedError)
  expect(error).toMatchObject({ code: 'session_ended', sessionId: 'sess_1', status })
  expect(service.lines).toEqual([read, read])
})

it('asks again while the decision lags behind the status, and takes no outcome from the status', async () => {
  service.answers(read, inStatus('APPROVED'), inStatus('APPROVED'))
  service.answers(
    readDecision,
    ok(noDecisionYet({ status: 'APPROVED' })),
    ok(aDecision({ decision: 'DECLINED' })),
  )
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'DECLINED' })
  expect(service.lines).toEqual([read, readDecision, read, readDecision])
})

it('waits an outage out', async () => {
  service.answers(
    read,
    inStatus('IN_PROGRESS'),
    ...times(3, () => reset),
    ...times(3, () => () => refused(503, 'engine_unreachable')),
    inStatus('APPROVED'),
  )
  service.answers(readDecision, ok(aDecision()))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'APPROVED' })
})

it('gives the outage as the cause when it lasts beyond timeoutMs', async () => {
  service.answers(read, ...times(3, () => () => refused(503, 'engine_unreachable')))
  const { client } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { timeoutMs: 2000 })

  await expect(wait).rejects.toMatchObject({ code: 'wait_timeout', cause: { code: 'engine_unreachable' } })
})

it('leaves the service alone for as long as its Retry-After asks', async () => {
  service.answers(read, refused(429, 'rate_limited', {}, { 'retry-after': '90' }), inStatus('APPROVED'))
  service.answers(readDecision, ok(aDecision()))
  const { client, waits } = testClient()

  await client.sessions.waitForDecision('sess_1')

  expect(waits).toEqual([90_000])
})

it.each([
  [401, 'invalid_api_key'],
  [404, 'not_found'],
])('does not wait after %d %s, which no time cures', async (status, code) => {
  service.answers(read, refused(status, code))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).rejects.toMatchObject({ code })
})

it('hears of each status that differs from the one before', async () => {
  const statuses = ['NOT_STARTED', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED']
  service.answers(read, ...statuses.map(inStatus))
  service.answers(readDecision, ok(aDecision()))
  const { client } = testClient()
  const heard: string[] = []

  await client.sessions.waitForDecision('sess_1', { onStatus: (status) => heard.push(status) })

  expect(heard).toEqual(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED'])
})
