import { expect, it } from 'vitest'
import { emailOf, oneOfEach, rosterOf } from '../../support/roster.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Sections 3.3 and 4.9: POST /api/sdk/members/{member_id}/invite

const oneRoster = async () => rosterOf(await overHttp({ members: oneOfEach }))

it('accepts 10 invites of one member in any minute, then returns 429 rate_limited with Retry-After', async () => {
  const { emulator, invite } = await oneRoster()
  for (let i = 0; i < 10; i++) {
    expect((await invite(emailOf('invited'))).status).toBe(200)
    await emulator.clock.advance(1000)
  }

  const eleventh = await invite(emailOf('invited'))

  expect([eleventh.status, eleventh.error?.code]).toEqual([429, 'rate_limited'])
  expect(eleventh.headers.get('retry-after')).toBe('50')
  expect((await invite(emailOf('link_sent'))).status).toBe(200)
  await emulator.clock.advance(49_999)
  expect((await invite(emailOf('invited'))).status).toBe(429)
  await emulator.clock.advance(1)
  expect((await invite(emailOf('invited'))).status).toBe(200)
  expect((await invite(emailOf('invited'))).status).toBe(429)
})

it("counts the invites of all members together if the reading inviteLimit is 'overall'", async () => {
  const { invite } = rosterOf(inProcess({ members: oneOfEach, readings: { inviteLimit: 'overall' } }))

  for (let i = 0; i < 10; i++) await invite(emailOf('invited'))

  expect((await invite(emailOf('link_sent'))).status).toBe(429)
})
