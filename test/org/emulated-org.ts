import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { testOrg } from '../support/org-client.ts'

/** A client of an emulator in-process. The emulator's clock follows the client's. */
export function emulatedOrg(options: EmulatorOptions = {}) {
  let elapsed = () => 0
  const clock = () => new Date(Date.UTC(2026, 2, 1) + elapsed())
  const emulator = createEmulator({ seed: 'org', clock, ...options })
  const setup = testOrg({ ...emulator.options.org })
  elapsed = setup.now
  return { emulator, ...setup }
}

export const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ email: `person${from + i}@example.com` }))
