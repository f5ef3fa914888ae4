import { expect, it } from 'vitest'
import { EmulatorError } from '../../../../src/emulator.ts'
import { emailOf, oneOfEach } from '../../support/roster.ts'
import { inProcess } from '../../support/service.ts'

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
