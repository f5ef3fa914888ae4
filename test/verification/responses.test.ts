import { expect, it } from 'vitest'
import type { ApiError } from '../../src/index.ts'
import { aSession, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const read = 'GET /api/v2/session/sess_1'

it.each([
  ['X-Request-Id', { 'x-request-id': 'req_7' }, 'req_7'],
  ['absent', {}, undefined],
])('exposes the request id on results and errors if the header is %s', async (_, headers, requestId) => {
  const success = () => Response.json({ success: true, data: aSession(), error: null }, { headers })
  const error = () =>
    Response.json({ success: false, data: null, error: { code: 'not_found' } }, { status: 404, headers })
  const page = () => new Response('<html>', { headers })
  service.respondTo(read, success, error, page)
  const { client } = testClient()

  const { response } = await client.sessions.retrieve('sess_1').withResponse()
  const rejected: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)
  const invalid: unknown = await client.sessions.retrieve('sess_1').catch((thrown: unknown) => thrown)

  expect(response.requestId).toBe(requestId)
  expect((rejected as ApiError).requestId).toBe(requestId)
  expect(invalid).toMatchObject({ code: 'invalid_response', ...(requestId ? { requestId } : {}) })
})

it("rejects a check of another type if responseValidation is 'strict'", async () => {
  service.respondTo('POST /api/v2/face-match', ok(standalone(livenessCheck())))
  const { client } = testClient({ responseValidation: 'strict' })

  await expect(client.checks.faceMatch({ image1: images.png, image2: images.png })).rejects.toMatchObject({
    code: 'invalid_response',
    message: expect.stringContaining('check.type'),
  })
})

it.each([
  ['a check without a status', { type: 'liveness', data: {} }],
  ['a check without a type', { status: 'passed', data: {} }],
  ['no check', undefined],
])('rejects a standalone result with %s even if responseValidation is off', async (_, check) => {
  service.respondTo('POST /api/v2/liveness', ok({ session_id: 'sess_1', status: 'passed', check }))
  const { client } = testClient({ responseValidation: 'off' })

  await expect(client.checks.liveness({ image: images.png })).rejects.toMatchObject({
    code: 'invalid_response',
  })
})
