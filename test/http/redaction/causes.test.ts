import { expect, it } from 'vitest'
import { ConnectionError } from '../../../src/errors.ts'
import { refuseConnection, type Step, scriptedFetch } from '../../support/scripted-fetch.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { testClient } from '../../support/verification-client.ts'

/** The error of a call whose body contains `canary-text`, after one step of the fetch. */
async function errorOf(step: Step): Promise<unknown> {
  const { client } = testClient({ fetch: scriptedFetch(step).fetch, maxRetries: 0 })
  const body = { carried: 'canary-text' }
  return thrownBy(client.request({ method: 'POST', path: '/api/v2/other', body }))
}

const caused =
  (cause: unknown): Step =>
  () => {
    throw new TypeError('fetch failed', { cause })
  }
const coded = (code: unknown, message = 'it broke') => Object.assign(new Error(message), { code })

it.each([
  ['ECONNRESET', ' (ECONNRESET)'],
  ['UND_ERR_SOCKET', ' (UND_ERR_SOCKET)'],
  ['ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC', ' (ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC)'],
  ['A'.repeat(64), ` (${'A'.repeat(64)})`],
  ['A'.repeat(65), ''],
  ['canary-text', ''],
  ['CODE with words', ''],
  ['xECODE', ''],
  [42, ''],
  [undefined, ''],
])(
  'names the code %j of a broken connection in the message only if it is an error code',
  async (code, shown) => {
    const error = await errorOf(() => {
      throw coded(code)
    })

    expect(error).toBeInstanceOf(ConnectionError)
    expect((error as Error).message).toBe(
      `request: the connection to https://id.example.test broke before the response was complete${shown}. The service may have executed the call: check before you call again.`,
    )
    const { cause } = error as { cause: { code?: unknown } }
    expect(cause.code).toBe(shown === '' ? undefined : code)
  },
)

it('says that it could not connect if nothing was sent', async () => {
  expect(((await errorOf(refuseConnection)) as Error).message).toBe(
    'request: could not connect to https://id.example.test (ECONNREFUSED). Check baseUrl.',
  )
})

it('keeps class name, code and masked message of three nested causes, and nothing else of them', async () => {
  const deepest = new Error('the fourth')
  const third = Object.assign(new RangeError('saw canary-text', { cause: deepest }), { body: 'canary-text' })
  const second = Object.assign(new Error('the second', { cause: third }), { code: 'EPIPE' })

  const { cause } = (await errorOf(caused(second))) as { cause: Error }

  const causes = [cause, cause.cause, (cause.cause as Error).cause] as (Error & { code?: string })[]
  expect(causes.map(({ name, message, code }) => ({ name, message, code }))).toEqual([
    { name: 'TypeError', message: 'fetch failed', code: undefined },
    { name: 'Error', message: 'the second', code: 'EPIPE' },
    { name: 'RangeError', message: 'saw [redacted]', code: undefined },
  ])
  expect(causes[2]?.cause).toBeUndefined()
  expect(causes.map(({ stack }) => stack)).toEqual(causes.map(({ name, message }) => `${name}: ${message}`))
  expect(Object.keys(causes[2] ?? {})).not.toContain('body')
})

it('keeps a thrown string as a masked cause, and no other thrown value that is not an Error', async () => {
  const throwing = (value: unknown) => () => {
    throw value
  }
  expect(await errorOf(throwing('saw canary-text'))).toMatchObject({ cause: 'saw [redacted]' })
  expect(await errorOf(throwing({ saw: 'canary-text' }))).not.toHaveProperty('cause')
})
