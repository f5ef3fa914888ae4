import { expect, it, vi } from 'vitest'
import type { ApiError } from '../../src/errors.ts'
import { aSession, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { named, operations, resultOf } from '../support/operations.ts'
import { ok, refused, reset, scriptedService } from '../support/service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'
const silent = () => ({ debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() })

it.each(named(operations))('%s has a documented answer that fits its schema', async (_, operation) => {
  service.answers(`${operation.method} ${operation.path}`, ok(operation.data))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await operation.call(client)).toEqual(resultOf(operation))
})

it('keeps what else an error said in details, and the answer’s headers', async () => {
  const more = { status: 'APPROVED', field: 'front_image', hints: [{ a: 1 }] }
  service.answers(read, refused(409, 'already_decided', more, { 'x-region': 'eu-1' }))
  const { client } = testClient()

  const error = (await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)) as ApiError

  expect(error.details).toEqual(more)
  expect(error.headers.get('x-region')).toBe('eu-1')
})

it.each([
  [400, 'a_code_to_come', 'BadRequestError'],
  [404, 'Strange-Code.7', 'NotFoundError'],
  [418, 'teapot', 'ApiError'],
  [451, 'http_451', 'ApiError'],
  [599, 'a_code_to_come', 'ServerError'],
])('gives a status and a code that it does not know as they came: %d %s', async (status, code, name) => {
  service.answers(read, refused(status, code))
  const { client } = testClient()

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name,
    status,
    code,
    retryable: false,
  })
})

it('gives the code of an error though a person’s name is part of it', async () => {
  service.answers('POST /api/v2/credential-verification', refused(404, 'license_not_found'))
  const { client } = testClient()
  const license = { license_state: 'CA', license_number: 'license', license_type: 'RN', full_name: 'found' }

  await expect(client.checks.credential(license)).rejects.toMatchObject({ code: 'license_not_found' })
})

it('tells a failed envelope by its code, whatever the status', async () => {
  const failed = { success: false, data: null, error: { code: 'session_expired', message: 'It is over.' } }
  service.answers(read, () => Response.json(failed))
  const { client } = testClient()

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    name: 'ApiError',
    code: 'session_expired',
    status: 200,
  })
})

it.each([
  ['X-Request-Id', { 'x-request-id': 'req_7' }, 'req_7'],
  ['none', {}, undefined],
])('names the request by %s on results and errors', async (_, headers, requestId) => {
  const answer = () => Response.json({ success: true, data: aSession(), error: null }, { headers })
  const refusal = () =>
    Response.json({ success: false, data: null, error: { code: 'not_found' } }, { status: 404, headers })
  const page = () => new Response('<html>', { headers })
  service.answers(read, answer, refusal, page)
  const { client } = testClient()

  const { response } = await client.sessions.retrieve('sess_1').withResponse()
  const refused: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)
  const invalid: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(response.requestId).toBe(requestId)
  expect((refused as ApiError).requestId).toBe(requestId)
  expect(invalid).toMatchObject({ code: 'invalid_response', ...(requestId ? { requestId } : {}) })
})

it('counts every attempt, on the result and in the error', async () => {
  service.answers(read, reset, refused(503, 'engine_unreachable'), ok(aSession()))
  service.answers('GET /api/v2/session', reset, refused(503, 'engine_unreachable'), refused(404, 'not_found'))
  const { client } = testClient()

  const { response } = await client.sessions.retrieve('sess_1').withResponse()

  expect(response.attempts).toBe(3)
  await expect(client.sessions.list()).rejects.toMatchObject({ code: 'not_found', attempts: 3 })
})

const misshapen = { ...aSession(), features: 'liveness', expires_at: undefined }

it('logs an answer of another shape once an operation, without its values, and gives it as it came', async () => {
  service.answers(read, ok(misshapen), ok(misshapen))
  const logger = silent()
  const { client } = testClient({ logger })

  await client.sessions.retrieve('sess_1')

  expect(await client.sessions.retrieve('sess_1')).toEqual(JSON.parse(JSON.stringify(misshapen)))
  expect(logger.warn).toHaveBeenCalledOnce()
  expect(logger.warn).toHaveBeenCalledWith(expect.stringContaining('sessions.retrieve'), {
    operation: 'sessions.retrieve',
    fields: ['features', 'expires_at'],
  })
})

it('refuses an answer of another shape on request', async () => {
  service.answers(read, ok(misshapen))
  const { client } = testClient({ responseValidation: 'strict' })

  await expect(client.sessions.retrieve('sess_1')).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('features, expires_at'),
  })
})

it('does not look at the shape of an answer on request', async () => {
  service.answers(read, ok(misshapen))
  const logger = silent()
  const { client } = testClient({ responseValidation: 'off', logger })

  await client.sessions.retrieve('sess_1')

  expect(logger.warn).not.toHaveBeenCalled()
})

it('notices the answer of another check than the one that was asked for', async () => {
  service.answers('POST /api/v2/face-match', ok(standalone(livenessCheck())))
  const { client } = testClient({ responseValidation: 'strict' })

  await expect(client.checks.faceMatch({ image1: images.png, image2: images.png })).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('check.type'),
  })
})
