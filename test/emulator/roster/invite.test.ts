import { expect, it } from 'vitest'
import { EmulatorError } from '../../../src/emulator.ts'
import { emailOf, oneOfEach, rosterOf } from '../support/roster.ts'
import { inProcess, overHttp } from '../support/service.ts'

// Sections 3.3 and 4.9: POST /api/sdk/members/{member_id}/invite

const oneRoster = async () => rosterOf(await overHttp({ members: oneOfEach }))

it.each(['invited', 'link_sent'] as const)(
  'returns a new link for a member who is %s, which replaces the earlier one',
  async (status) => {
    const { emulator, invite, memberOf } = await oneRoster()

    const [first, second] = [await invite(emailOf(status)), await invite(emailOf(status))]

    expect(first.status).toBe(200)
    expect(first.data).toEqual({
      member: expect.objectContaining({ email: emailOf(status), status: 'link_sent' }),
      activation_link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/activate\/[\da-f]{24}$/),
    })
    expect(second.data.activation_link).not.toBe(first.data.activation_link)
    expect(() => emulator.members.activate(first.data.activation_link)).toThrow(EmulatorError)
    emulator.members.activate(second.data.activation_link)
    expect((await memberOf(emailOf(status)))?.status).toBe('active')
  },
)

it('replaces the link that was returned when the member was added', async () => {
  const { added, emulator, invite } = rosterOf(await overHttp())
  const { created } = await added(['ada@example.com'], { notify: false })

  await invite('ada@example.com')

  expect(() => emulator.members.activate(created[0]?.activation_link as string)).toThrow(EmulatorError)
})

it.each([
  ['active', 'already_active'],
  ['deactivated', 'deactivated'],
] as const)('rejects an invite of a member who is %s with 409 %s', async (status, code) => {
  const { invite, memberOf } = await oneRoster()

  const response = await invite(emailOf(status))

  expect([response.status, response.error?.code]).toEqual([409, code])
  expect((await memberOf(emailOf(status)))?.status).toBe(status)
})

// Section 8

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
