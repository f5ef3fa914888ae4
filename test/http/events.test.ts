import { expect, it } from 'vitest'
import { ServerError } from '../../src/errors.ts'
import type { Logger, RequestEvent } from '../../src/verification.ts'
import { ageCheck, aSession, standalone } from '../support/fixtures.ts'
import { breakConnection, fail, hang, scriptedFetch, succeed } from '../support/scripted-fetch.ts'
import { testClient } from '../support/verification-client.ts'

const born = { dob: '2001-05-17', bands: [18] }
const down = fail(503, 'engine_unreachable')
const aged = succeed(standalone(ageCheck()))

function recorder() {
  const events: RequestEvent[] = []
  const records: [level: string, message: string, fields: unknown][] = []
  const level = (name: string) => (message: string, fields?: object) =>
    void records.push([name, message, fields])
  const logger: Logger = {
    debug: level('debug'),
    info: level('info'),
    warn: level('warn'),
    error: level('error'),
  }
  return { events, records, options: { logger, onEvent: (event: RequestEvent) => void events.push(event) } }
}

it('tells every attempt, its answer and the wait before the next', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(breakConnection, down, aged)
  const { client } = testClient({ fetch, ...options })

  await client.checks.age(born, { idempotencyKey: 'mine' })

  const call = {
    callId: events[0]?.callId,
    operation: 'checks.age',
    method: 'POST',
    path: '/api/v2/age-verification',
    idempotencyKey: 'mine',
  }
  const answered = { requestId: 'req_1', durationMs: 0 }
  expect(events).toEqual([
    { ...call, type: 'request', attempt: 1 },
    {
      ...call,
      type: 'retry',
      attempt: 1,
      delayMs: 500,
      error: expect.objectContaining({ code: 'connection_failed' }),
    },
    { ...call, type: 'request', attempt: 2 },
    { ...call, type: 'response', attempt: 2, status: 503, ...answered },
    { ...call, type: 'retry', attempt: 2, delayMs: 1000, error: expect.any(ServerError) },
    { ...call, type: 'request', attempt: 3 },
    { ...call, type: 'response', attempt: 3, status: 200, ...answered },
  ])
})

it('events of one call have one id, whichever calls are made beside it, even under one key', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(down, down, aged, aged)
  const { client } = testClient({ fetch, ...options })
  const key = { idempotencyKey: 'mine' }

  await Promise.all([client.checks.age(born, key), client.checks.age(born, key)])

  const ids = events.map(({ callId }) => callId)
  const [one, other] = [...new Set(ids)]
  expect(ids).toEqual([one, other, one, other, one, other, one, other, one, other])
  expect(one).toMatch(/^[0-9a-f-]{36}$/)
})

it('tells a call that failed for good, with the error that the caller gets', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(fail(404, 'not_found'))
  const { client } = testClient({ fetch, ...options })

  const error: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(events.map(({ type }) => type)).toEqual(['request', 'response', 'error'])
  expect(events[2]).toEqual({
    type: 'error',
    callId: events[0]?.callId,
    operation: 'sessions.retrieve',
    method: 'GET',
    path: '/api/v2/session/{id}',
    attempt: 1,
    durationMs: 0,
    error,
  })
  expect(events[2]?.error).toBe(error)
})

it('tells how long an attempt and a call took', async () => {
  const { events, options } = recorder()
  let passTime = (_: number) => {}
  const { fetch } = scriptedFetch((signal) => {
    passTime(40)
    return fail(503, 'engine_unreachable')(signal)
  })
  const test = testClient({ fetch, maxRetries: 1, ...options })
  passTime = test.passTime

  await test.client.sessions.retrieve('s').catch(() => {})

  const durations = events.flatMap(({ type, durationMs }) =>
    durationMs === undefined ? [] : [[type, durationMs]],
  )
  expect(durations).toEqual([
    ['response', 40],
    ['response', 40],
    ['error', 40 + 500 + 40],
  ])
})

it('names the path template, never the ids', async () => {
  const { events, records, options } = recorder()
  const { fetch } = scriptedFetch(succeed())
  const { client } = testClient({ fetch, ...options })

  await client.sessions.retrieve('ada@example.test')

  expect(JSON.stringify([events, records])).not.toContain('ada')
})

it('logs attempts for debugging, and retries and failures as warnings', async () => {
  const { events, records, options } = recorder()
  const { fetch } = scriptedFetch(down, fail(404, 'not_found'))
  const { client } = testClient({ fetch, ...options })

  await client.sessions.retrieve('s').catch(() => {})

  expect(records.map(([level, message]) => `${level}: ${message}`)).toEqual([
    'debug: sessions.retrieve request',
    'debug: sessions.retrieve response',
    'warn: sessions.retrieve retry',
    'debug: sessions.retrieve request',
    'debug: sessions.retrieve response',
    'warn: sessions.retrieve error',
  ])
  expect(records.map(([, , fields]) => fields)).toEqual(events)
})

it('the logger is called as a method', async () => {
  class Log implements Logger {
    readonly lines: string[] = []
    debug(message: string) {
      this.lines.push(message)
    }
    info = this.debug
    warn = this.debug
    error = this.debug
  }
  const logger = new Log()
  const { fetch } = scriptedFetch(succeed())

  await testClient({ fetch, logger }).client.sessions.retrieve('s')

  expect(logger.lines).toEqual(['sessions.retrieve request', 'sessions.retrieve response'])
})

const thrower = () => {
  throw new Error('a hook failed')
}
const rejecter = () => Promise.reject(new Error('a hook failed'))

it.each([
  ['throw', thrower],
  ['reject', rejecter],
])('hooks that %s change nothing', async (_, hook) => {
  const logger = { debug: hook, info: hook, warn: hook, error: hook }
  const { fetch } = scriptedFetch(down, aged, succeed(aSession({ features: 1 })), fail(404, 'not_found'))
  const { client } = testClient({ fetch, logger, onEvent: hook })
  const image = Uint8Array.of(1)

  await expect(client.checks.liveness({ image }, { onUploadProgress: hook })).resolves.toBeDefined()
  await expect(client.sessions.retrieve('s')).resolves.toBeDefined()
  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ code: 'not_found' })
  await new Promise((resolve) => setImmediate(resolve))
})

it('says that onEvent threw, and not what', async () => {
  const { records, options } = recorder()
  const { fetch } = scriptedFetch(succeed())
  const onEvent = () => {
    throw new TypeError('canary')
  }

  await testClient({ fetch, logger: options.logger, onEvent }).client.sessions.retrieve('s')

  expect(records).toContainEqual([
    'error',
    'onEvent threw',
    { operation: 'sessions.retrieve', thrown: 'TypeError' },
  ])
  expect(JSON.stringify(records)).not.toContain('canary')
})

it('an attempt that was never answered has no response event', async () => {
  const { events, options } = recorder()
  const { fetch } = scriptedFetch(hang)
  const { client } = testClient({ fetch, timeoutMs: 5, maxRetries: 0, ...options })

  await client.sessions.create().catch(() => {})

  expect(events.map(({ type }) => type)).toEqual(['request', 'error'])
})

it('the error tells how many attempts were made', async () => {
  const { fetch } = scriptedFetch(down)
  const { client } = testClient({ fetch, maxRetries: 4 })

  await expect(client.sessions.retrieve('s')).rejects.toMatchObject({ attempts: 5 })
})
