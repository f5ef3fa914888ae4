import { expect, it } from 'vitest'
import { EmulatorError } from '../../../src/emulator.ts'
import { emailOf, oneOfEach, rosterOf } from '../support/roster.ts'
import { inProcess } from '../support/service.ts'

it('activate makes a member active, with an svc_id', async () => {
  const { emulator, list, added } = rosterOf(inProcess())
  await added(['ada@example.com'])

  const activated = emulator.members.activate('ada@example.com')

  expect(activated).toMatchObject({ status: 'active', active: true, svc_id: expect.stringMatching(/^svc_/) })
  expect(await list()).toMatchObject([{ status: 'active', active: true, svc_id: activated.svc_id }])
})

it('activationLink returns the link that was emailed, and activate accepts it', async () => {
  const { emulator, added } = rosterOf(inProcess())
  await added(['ada@example.com'])

  const emailed = emulator.members.activationLink('ada@example.com')

  expect(emulator.members.activate(emailed as string)).toMatchObject({ email: 'ada@example.com' })
})

it('activationLink is null for a member without a link', () => {
  const { emulator } = inProcess({ members: oneOfEach })

  expect(emulator.members.activationLink(emailOf('invited'))).toBeNull()
})

it.each([emailOf('active'), emailOf('deactivated'), 'unknown@example.com'])(
  'activate throws EmulatorError for %s',
  (id) => {
    const { emulator } = inProcess({ members: oneOfEach })

    expect(() => emulator.members.activate(id)).toThrow(EmulatorError)
  },
)

it('activationLink and removeIdentity throw EmulatorError for an unknown member', () => {
  const { emulator } = inProcess()

  expect(() => emulator.members.activationLink('unknown@example.com')).toThrow(EmulatorError)
  expect(() => emulator.members.removeIdentity('unknown@example.com')).toThrow(EmulatorError)
})
