import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { testOrg } from '../support/org-client.ts'

/** A client that talks to an emulator in-process; the emulator's clock moves with the client's. */
export function emulatedOrg(options: EmulatorOptions = {}) {
  let elapsed = () => 0
  const clock = () => new Date(Date.UTC(2026, 2, 1) + elapsed())
  const emulator = createEmulator({ seed: 'org', clock, ...options })
  const made = testOrg({ ...emulator.options.org })
  elapsed = made.now
  return { emulator, ...made }
}

export const people = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ email: `person${from + i}@example.com` }))

/** Everything that an async iterable gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const item of source) items.push(item)
  return items
}
