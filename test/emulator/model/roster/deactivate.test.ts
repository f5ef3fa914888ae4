import { expect, it } from 'vitest'
import { EmulatorError } from '../../../../src/emulator.ts'
import { emailOf, oneOfEach, rosterOf } from '../../support/roster.ts'
import { overHttp } from '../../support/service.ts'

// Sections 3.3 and 4.9: deactivate and reactivate

const oneRoster = async () => rosterOf(await overHttp({ members: oneOfEach }))

it('reactivation does not restore an activation link from before the deactivation', async () => {
  const { emulator, deactivate, reactivate } = await oneRoster()
  const emailed = emulator.members.activationLink(emailOf('link_sent')) as string

  await deactivate(emailOf('link_sent'))
  await reactivate(emailOf('link_sent'))

  expect(emulator.members.activationLink(emailOf('link_sent'))).toBeNull()
  expect(() => emulator.members.activate(emailed)).toThrow(EmulatorError)
})

it.each(['invited', 'link_sent', 'active'] as const)(
  'reactivation does not change a member who is %s',
  async (status) => {
    const { memberOf, reactivate } = await oneRoster()
    const before = await memberOf(emailOf(status))

    expect((await reactivate(emailOf(status))).data).toEqual({ member: before })
  },
)
