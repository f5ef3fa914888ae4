import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { type AnySdkError, type ImageInput, VerificationClient } from '../../../src/index.ts'
import { images } from '../../support/fixtures.ts'
import { adult, nurse } from '../support/checks.ts'
import { form, photo } from '../support/images.ts'
import { apiKey, inProcess, origin, overHttp } from '../support/service.ts'

const path = '/api/v2/age-verification'
const age = JSON.stringify(adult)

it.each<[what: string, contentType: string, body: string | Uint8Array<ArrayBuffer>]>([
  ['JSON sent as text/plain', 'text/plain', age],
  ['a form with the fields', 'application/x-www-form-urlencoded', 'dob=1990-01-01'],
  ['JSON that ends early', 'application/json', '{"dob":'],
  ['a list', 'application/json', '[]'],
  ['null', 'application/json', 'null'],
  ['invalid UTF-8', 'application/json', new Uint8Array([0x22, 0xff, 0x22])],
])('an operation that takes JSON rejects %s with 400 validation_error', async (_, contentType, body) => {
  const { call } = await overHttp()

  const { status, error } = await call('POST', path, { headers: { 'Content-Type': contentType }, body })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it.each([
  [path, form({ dob: photo })],
  ['/api/v2/credential-verification', form(nurse)],
])('an operation that takes JSON rejects a multipart form with 400 validation_error: %s', async (jsonOnly, body) => {
  const { call } = await overHttp()

  const { status, error } = await call('POST', jsonOnly, { body })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it('an operation that takes JSON accepts a charset parameter', async () => {
  const { call } = await overHttp()
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }

  expect((await call('POST', path, { headers, body: age })).status).toBe(200)
})

it('a multipart form that cannot be parsed is rejected with 400 validation_error', async () => {
  const { call } = await overHttp()
  const headers = { 'Content-Type': 'multipart/form-data; boundary=x' }

  const { status, error } = await call('POST', '/api/v2/liveness', { headers, body: '{}' })

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it('the message of validation_error names each invalid field', async () => {
  const { post } = await overHttp()

  const { error } = await post(path, { bands: [true] })

  expect(error).toEqual({
    code: 'validation_error',
    message: "dob: is required; bands.0: must be a whole number, '18', '18+' or 'is_18_plus'",
  })
})

it('a body above every limit of the contract is rejected with 413 before it was fully read', async () => {
  const { emulator } = inProcess()
  const megabyte = new Uint8Array(1024 * 1024)
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(megabyte)
    },
  })

  const init = { method: 'POST', headers: apiKey, body, duplex: 'half' } as const
  const response = await emulator.fetch(new Request(`${origin}/api/v2/liveness`, init))

  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: { code: 'image_too_large' } })
  expect(sent).toBeLessThan(110)
})

it('a bug of the emulator returns 500 internal_error with a message that says so', async () => {
  const { emulator, post } = await overHttp()
  emulator.checks.script('credential', {
    data: {
      get license(): never {
        throw new Error('a bug')
      },
    },
  })

  const { status, error } = await post('/api/v2/credential-verification', { ...nurse, full_name: 'A' })

  expect([status, error?.code]).toEqual([500, 'internal_error'])
  expect(error?.message).toContain('The emulator itself failed')
})

it('a multipart form of 1,000 parts is read, and one of 1,001 is rejected with 400 validation_error', async () => {
  const { call } = inProcess({ readings: { unlistedFields: 'ignored' } })
  const statusOf = async (parts: number) => {
    const more = Object.fromEntries(Array.from({ length: parts - 1 }, (_, i) => [`field_${i}`, '']))
    return (await call('POST', '/api/v2/liveness', { body: form({ image: photo, ...more }) })).status
  }

  expect([await statusOf(1000), await statusOf(1001)]).toEqual([200, 400])
})

it.each(['multipart', 'json'] as const)(
  'an image that fails while it is sent as %s is the error of a client',
  async (encoding) => {
    const emulator = createEmulator()
    const client = new VerificationClient(emulator.options.verification)
    const failing = async function* () {
      yield images.png
      throw new Error('the browser left')
    }
    const codeOf = (image: ImageInput) =>
      client.checks.liveness({ image }, { encoding }).catch((error: unknown) => (error as AnySdkError).code)

    expect(await codeOf(failing())).toBe('image_read_failed')
    expect(await codeOf({ data: new Blob([images.png]).stream(), size: images.png.length + 1 })).toBe('invalid_params')
  },
)
