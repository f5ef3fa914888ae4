import { expect, it } from 'vitest'
import { findCheck, verifyWebhook } from '../../src/index.ts'
import { livenessCheck } from '../support/fixtures.ts'
import { aDelivery, clockAt, secret, signedAt } from '../support/webhook.ts'

const received = async (more: object) => verifyWebhook({ secret, now: clockAt(signedAt), ...(await aDelivery(more)) })

it.each([null, undefined])('gives a check of an event whose data is %s an empty object', async (data) => {
  const { decision } = await received({
    decision: { decision: 'APPROVED', checks: [livenessCheck({ data })] },
  })

  expect(findCheck(decision ?? {}, 'liveness')?.data).toEqual({})
})

it.each([
  [{ test: true }, true],
  [{ session_id: 'sess_test_1' }, true],
  [{ session_id: 'sess_test_1', test: false }, true],
  [{ test: false }, false],
  [{}, undefined],
])('an event with %j has test: %s, so that one field tells a test event', async (fields, test) => {
  expect((await received(fields)).test).toBe(test)
})
