import { expect, it } from 'vitest'
import { AbortedError, SessionEndedError, WaitTimeoutError } from '../../src/index.ts'
import { aDecision, aSession, pendingDecision } from '../support/fixtures.ts'
import { errorResponse, ok, reset, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'
const readDecision = 'GET /api/v2/session/sess_1/decision'
const inStatus = (status: string) => ok(aSession({ status }))
const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

it.each(['APPROVED', 'DECLINED'])('returns the decision as soon as the session is %s', async (outcome) => {
  service.respondTo(read, inStatus('NOT_STARTED'), inStatus('IN_PROGRESS'), inStatus(outcome))
  service.respondTo(readDecision, ok(aDecision({ status: outcome, decision: outcome })))
  const { client } = testClient()

  const decision = await client.sessions.waitForDecision('sess_1')

  expect(decision).toEqual(aDecision({ status: outcome, decision: outcome }))
  expect(service.lines).toEqual([read, read, read, readDecision])
})

it('increases the pause between reads from pollIntervalMs to eight times that value', async () => {
  service.respondTo(read, ...times(9, () => inStatus('IN_PROGRESS')), inStatus('APPROVED'))
  service.respondTo(readDecision, ok(aDecision()))
  const { client, waits } = testClient()

  await client.sessions.waitForDecision('sess_1', { pollIntervalMs: 1000 })

  expect(waits).toEqual([1000, 1500, 2250, 3375, 5062.5, 7593.75, 8000, 8000, 8000])
})

it('continues to wait if the status is not in the contract', async () => {
  service.respondTo(read, inStatus('ON_HOLD'), inStatus('IN_REVIEW'), inStatus('APPROVED'))
  service.respondTo(readDecision, ok(aDecision()))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'APPROVED' })
})

it('throws WaitTimeoutError with the last status after timeoutMs', async () => {
  service.respondTo(read, ...times(3, () => inStatus('IN_PROGRESS')))
  const { client, waits } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { pollIntervalMs: 1000, deadlineMs: 3000 })
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

it('ends at once if the signal aborts, also during a pause', async () => {
  service.respondTo(read, inStatus('IN_PROGRESS'))
  const controller = new AbortController()
  const { client } = testClient({ sleep: async () => controller.abort(new Error('page left')) })

  const wait = client.sessions.waitForDecision('sess_1', { signal: controller.signal })
  const error: unknown = await wait.catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({ code: 'aborted', cause: { message: 'page left' } })
})

it('sends nothing if the signal is already aborted', async () => {
  const { client } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { signal: AbortSignal.abort() })

  await expect(wait).rejects.toBeInstanceOf(AbortedError)
  expect(service.requests).toEqual([])
})

it("stops at IN_REVIEW without an outcome if until is 'IN_REVIEW'", async () => {
  const pending = pendingDecision({ status: 'IN_REVIEW' })
  service.respondTo(read, inStatus('IN_PROGRESS'), inStatus('IN_REVIEW'))
  service.respondTo(readDecision, ok(pending))
  const { client } = testClient()

  expect(await client.sessions.waitForDecision('sess_1', { until: 'IN_REVIEW' })).toEqual(pending)
})

it.each(['ABANDONED', 'EXPIRED'])('throws SessionEndedError if the session is %s', async (status) => {
  service.respondTo(read, inStatus('IN_PROGRESS'), inStatus(status))
  const { client } = testClient()

  const error: unknown = await client.sessions.waitForDecision('sess_1').catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(SessionEndedError)
  expect(error).toMatchObject({ code: 'session_ended', sessionId: 'sess_1', status })
  expect(service.lines).toEqual([read, read])
})

it('continues to read while the decision is still null, and never derives it from the status', async () => {
  service.respondTo(read, inStatus('APPROVED'), inStatus('APPROVED'))
  service.respondTo(readDecision, ok(pendingDecision({ status: 'APPROVED' })), ok(aDecision({ decision: 'DECLINED' })))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'DECLINED' })
  expect(service.lines).toEqual([read, readDecision, read, readDecision])
})

it('continues to wait during an outage', async () => {
  service.respondTo(
    read,
    inStatus('IN_PROGRESS'),
    ...times(3, () => reset),
    ...times(3, () => () => errorResponse(503, 'engine_unreachable')),
    inStatus('APPROVED'),
  )
  service.respondTo(readDecision, ok(aDecision()))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).resolves.toMatchObject({ decision: 'APPROVED' })
})

it('throws WaitTimeoutError with the outage as cause if the outage outlasts deadlineMs', async () => {
  service.respondTo(read, ...times(3, () => () => errorResponse(503, 'engine_unreachable')))
  const { client } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { deadlineMs: 2000 })

  await expect(wait).rejects.toMatchObject({ code: 'wait_timeout', cause: { code: 'engine_unreachable' } })
})

it('applies the options of a call to each request of the wait', async () => {
  const busy = errorResponse(503, 'engine_unreachable')
  service.respondTo(read, inStatus('IN_PROGRESS'), busy, inStatus('APPROVED'))
  service.respondTo(readDecision, ok(aDecision()))
  const { client, timers, waits } = testClient()
  const call = { headers: { 'x-tenant': 'acme' }, maxRetries: 0, timeoutMs: 500 }

  await client.sessions.waitForDecision('sess_1', { ...call, pollIntervalMs: 1000 })

  const tenants = service.requests.map(({ headers }) => headers.get('x-tenant'))
  expect(tenants).toEqual(Array(4).fill('acme'))
  expect(timers).toEqual(Array(4).fill(500))
  // The failed read is not retried, and the wait continues at its own pace.
  expect(waits).toEqual([1000, 1500])
})

it('waits as long as Retry-After specifies', async () => {
  service.respondTo(read, errorResponse(429, 'rate_limited', {}, { 'retry-after': '90' }), inStatus('APPROVED'))
  service.respondTo(readDecision, ok(aDecision()))
  const { client, waits } = testClient()

  await client.sessions.waitForDecision('sess_1')

  expect(waits).toEqual([90_000])
})

it.each([
  [401, 'invalid_api_key'],
  [404, 'not_found'],
])('fails at once with %d %s, because waiting does not help', async (status, code) => {
  service.respondTo(read, errorResponse(status, code))
  const { client } = testClient()

  await expect(client.sessions.waitForDecision('sess_1')).rejects.toMatchObject({ code })
})

it('calls onStatus for each status that differs from the previous one', async () => {
  const statuses = ['NOT_STARTED', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED']
  service.respondTo(read, ...statuses.map(inStatus))
  service.respondTo(readDecision, ok(aDecision()))
  const { client } = testClient()
  const statusesSeen: string[] = []

  await client.sessions.waitForDecision('sess_1', { onStatus: (status) => statusesSeen.push(status) })

  expect(statusesSeen).toEqual(['NOT_STARTED', 'IN_PROGRESS', 'IN_REVIEW', 'APPROVED'])
})

it.each([
  [
    'throws',
    () => {
      throw new Error('the handler failed')
    },
  ],
  ['returns a promise that rejects', () => Promise.reject(new Error('the handler failed'))],
])('returns the decision even if onStatus %s', async (_, onStatus) => {
  service.respondTo(read, inStatus('IN_PROGRESS'), inStatus('APPROVED'))
  service.respondTo(readDecision, ok(aDecision()))
  const { client } = testClient()

  const wait = client.sessions.waitForDecision('sess_1', { onStatus })

  await expect(wait).resolves.toMatchObject({ decision: 'APPROVED' })
})
