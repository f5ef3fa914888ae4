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

it('keeps the fields of an event, its decision and its checks that the contract does not list', async () => {
  const checks = [livenessCheck({ data: { live_score: 1, iris: 0.9 }, device: 'phone' })]
  const event = await received({ region: 'eu', decision: { decision: 'APPROVED', reviewer: 'r_1', checks } })

  const liveness = findCheck(event.decision ?? {}, 'liveness')
  expect(event).toMatchObject({ region: 'eu', decision: { reviewer: 'r_1' } })
  expect(liveness).toMatchObject({ device: 'phone', data: { live_score: 1, iris: 0.9 } })
})
