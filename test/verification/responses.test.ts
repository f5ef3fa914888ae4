import { expect, it } from 'vitest'
import { images, livenessCheck, standalone } from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

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
