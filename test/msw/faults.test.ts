import https from 'node:https'
import { expect, it, vi } from 'vitest'
import type { RecordedRequest } from '../../src/emulator.ts'
import { AbortedError, InvalidResponseError } from '../../src/index.ts'
import { patient } from '../support/patience.ts'
import { testClient } from '../support/verification-client.ts'
import { baseUrl, intercepted } from './intercepted.ts'

/** Requests that the emulator has finished. */
const finished: RecordedRequest[] = []
const { emulator, serve, settings } = intercepted({ onRequest: (request) => finished.push(request) })

const params = { dob: '1990-05-17', bands: [18] }
const aClient = (options: { maxRetries?: number } = {}) => testClient({ ...settings.verification, ...options }).client

const statuses = () => emulator.requests.map(({ status }) => status)

it.each(['before', 'after'] as const)(
  'a reset %s the operation is a network error: the client retries the check and is charged once',
  async (when) => {
    emulator.faults.add({ match: 'checks.age', reset: true, when })

    const { status } = await aClient().checks.age(params)

    expect(status).toBe('passed')
    expect(statuses()).toEqual([undefined, 200])
    expect(emulator.ledger).toHaveLength(1)
  },
)

it('a fetch by the app itself rejects with a TypeError if the connection is reset', async () => {
  emulator.faults.add({ match: 'sessions.list', reset: true })
  const printed = vi.spyOn(console, 'error')

  const call = fetch(`${baseUrl}/api/v2/session`, { headers: { 'x-api-key': settings.verification.apiKey } })

  await expect(call).rejects.toBeInstanceOf(TypeError)
  expect(printed).not.toHaveBeenCalled()
})

it('a request by node:https is served too, and emits an error event if the connection is reset', async () => {
  const options = { headers: { 'x-api-key': settings.verification.apiKey } }
  const get = () =>
    new Promise<number | undefined>((resolve, reject) => {
      https.get(`${baseUrl}/api/v2/session`, options, ({ statusCode }) => resolve(statusCode)).on('error', reject)
    })
  emulator.faults.add({ match: 'sessions.list', reset: true })

  await expect(get()).rejects.toBeInstanceOf(Error)
  expect(await get()).toBe(200)
})

it('an error response of a fault arrives with its headers', async () => {
  emulator.faults.add({ match: 'checks.age', status: 503, headers: { 'retry-after': '2' } })
  const { client, waits } = testClient({ ...settings.verification })

  await client.checks.age(params)

  expect(waits).toEqual([2000])
  expect(statuses()).toEqual([503, 200])
})

it('a response that is not JSON arrives unchanged', async () => {
  emulator.faults.add({ match: 'sessions.list', malformed: true })

  const call = aClient({ maxRetries: 0 }).sessions.list()

  await expect(call).rejects.toBeInstanceOf(InvalidResponseError)
})

it('an aborted call rejects with its own reason, is not charged, and prints nothing', async () => {
  emulator.faults.add({ match: 'checks.age', delayMs: 60_000 })
  const printed = vi.spyOn(console, 'error')
  finished.length = 0
  const controller = new AbortController()
  const call = aClient().checks.age(params, { signal: controller.signal })
  await vi.waitFor(() => expect(emulator.requests).toHaveLength(1), patient)

  controller.abort(new Error('no longer needed'))

  const thrown: unknown = await call.catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(AbortedError)
  expect(thrown).toMatchObject({ cause: { message: 'no longer needed' } })
  await vi.waitFor(() => expect(finished.map(({ status }) => status)).toEqual([undefined]), patient)
  await new Promise((resolve) => setImmediate(resolve))
  expect(emulator.ledger).toEqual([])
  expect(printed).not.toHaveBeenCalled()
})

it('a bug in the emulator is printed and results in a 500, not in a network error', async () => {
  const broken = { at: () => () => Promise.reject(new TypeError('x is not a function')) }
  serve({ baseUrl: 'https://broken.example.test' }, broken)
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {})

  const response = await fetch('https://broken.example.test/api/v2/session')

  expect(response.status).toBe(500)
  expect(printed.mock.calls.flat().join('\n')).toContain('x is not a function')
})
