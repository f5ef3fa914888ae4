import https from 'node:https'
import { expect, it, vi } from 'vitest'
import type { RecordedRequest } from '../../src/emulator.ts'
import { AbortedError, InvalidResponseError, OutcomeUnknownError } from '../../src/errors.ts'
import { testClient } from '../support/verification-client.ts'
import { baseUrl, intercepted } from './intercepted.ts'

/** What the emulator is done with. */
const over: RecordedRequest[] = []
const { emulator, serve, settings } = intercepted({ onRequest: (request) => over.push(request) })

const params = { dob: '1990-05-17', bands: [18] }
const aClient = (options: { maxRetries?: number } = {}) =>
  testClient({ ...settings.verification, ...options }).client

const statuses = () => emulator.requests.map(({ status }) => status)

it.each(['before', 'after'] as const)(
  'a reset %s the work is a network error: the client repeats the check, and is charged once',
  async (when) => {
    emulator.faults.add({ match: 'checks.age', reset: true, when })

    const { status } = await aClient().checks.age(params)

    expect(status).toBe('passed')
    expect(statuses()).toEqual([undefined, 200])
    expect(emulator.ledger).toHaveLength(1)
  },
)

it('a fetch of the app’s own rejects with a TypeError when the connection is reset', async () => {
  emulator.faults.add({ match: 'sessions.list', reset: true })
  const printed = vi.spyOn(console, 'error')

  const call = fetch(`${baseUrl}/api/v2/session`, { headers: { 'x-api-key': settings.verification.apiKey } })

  await expect(call).rejects.toBeInstanceOf(TypeError)
  expect(printed).not.toHaveBeenCalled()
})

it('a request by node:https is served too, and fails with an error event when the connection is reset', async () => {
  const options = { headers: { 'x-api-key': settings.verification.apiKey } }
  const ask = () =>
    new Promise<number | undefined>((resolve, reject) => {
      https
        .get(`${baseUrl}/api/v2/session`, options, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
    })
  emulator.faults.add({ match: 'sessions.list', reset: true })

  await expect(ask()).rejects.toBeInstanceOf(Error)
  expect(await ask()).toBe(200)
})

it('a lost answer that is not asked for again is an outcome that nobody knows, until its key is used', async () => {
  emulator.faults.add({ match: 'checks.age', reset: true, when: 'after' })
  const client = aClient({ maxRetries: 0 })

  const lost: unknown = await client.checks.age(params).catch((thrown: unknown) => thrown)
  if (!(lost instanceof OutcomeUnknownError)) throw lost
  const { status } = await client.checks.age(params, { idempotencyKey: lost.idempotencyKey })

  expect(status).toBe('passed')
  expect(emulator.ledger).toHaveLength(1)
})

it('an answer with an error is the service’s, headers included', async () => {
  emulator.faults.add({ match: 'checks.age', status: 503, headers: { 'retry-after': '2' } })
  const { client, waits } = testClient({ ...settings.verification })

  await client.checks.age(params)

  expect(waits).toEqual([2000])
  expect(statuses()).toEqual([503, 200])
})

it('an answer that is no JSON arrives as it is', async () => {
  emulator.faults.add({ match: 'sessions.list', malformed: true })

  const call = aClient({ maxRetries: 0 }).sessions.list()

  await expect(call).rejects.toBeInstanceOf(InvalidResponseError)
})

it('a caller that gives up hears its own reason, nothing is charged, and nothing is printed', async () => {
  emulator.faults.add({ match: 'checks.age', delayMs: 60_000 })
  const printed = vi.spyOn(console, 'error')
  over.length = 0
  const leaving = new AbortController()
  const call = aClient().checks.age(params, { signal: leaving.signal })
  await vi.waitFor(() => expect(emulator.requests).toHaveLength(1))

  leaving.abort(new Error('had enough'))

  const thrown: unknown = await call.catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(AbortedError)
  expect(thrown).toMatchObject({ cause: { message: 'had enough' } })
  await vi.waitFor(() => expect(over.map(({ status }) => status)).toEqual([undefined]))
  await new Promise((resolve) => setImmediate(resolve))
  expect(emulator.ledger).toEqual([])
  expect(printed).not.toHaveBeenCalled()
})

it('a mistake in what answers is shown as one, and does not pass for a broken connection', async () => {
  const broken = { at: () => () => Promise.reject(new TypeError('x is not a function')) }
  serve({ baseUrl: 'https://broken.example.test' }, broken)
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})

  const response = await fetch('https://broken.example.test/api/v2/session')

  expect(response.status).toBe(500)
  expect(printed.mock.calls.flat().join('\n')).toContain('x is not a function')
})
