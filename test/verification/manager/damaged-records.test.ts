import { expect, it } from 'vitest'
import { isSdkError } from '../../../src/index.ts'
import { some, tried } from '../../attack/size.ts'
import { eventFor, managed, recordKey, subject } from './managed.ts'

/** Values that replace others, each harmless by itself. */
const replacements: readonly unknown[] = [
  ...['damaged', '', '0001-01-01T00:00:00.000Z', null, true, 0, -1, 0.5, 1e15, [], {}, ['damaged'], [null]],
]

/** Every value that differs from this one in one part. */
function* withOneChange(value: unknown, path = ''): Generator<{ place: string; changed: unknown }> {
  for (const other of replacements) yield { place: `${path} = ${JSON.stringify(other)}`, changed: other }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value))
    for (const { place, changed } of withOneChange(member, `${path}.${name}`))
      yield {
        place,
        changed: Object.assign(Array.isArray(value) ? [...value] : { ...value }, { [name]: changed }),
      }
}

it('a record in the store with one value changed never leads to an error of another kind than the SDK has', async () => {
  const { manager, store, record, started } = managed()
  const id = await started()
  const written = await record()
  const changes = some([...withOneChange(written)], 80)
  const failures: string[] = []

  for (const { place, changed } of changes) {
    const verifications = manager()
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      get: () => verifications.get(subject),
      handle: () => verifications.handle(eventFor(id)),
      refresh: () => verifications.refresh(subject),
      ensureApproved: () => verifications.ensureApproved(subject),
      start: () => verifications.start(subject),
      reconcile: () => verifications.reconcile({ all: true }),
      forget: () => verifications.forget(subject),
    }
    for (const [name, call] of Object.entries(calls)) {
      await store.set(recordKey, JSON.stringify(changed))
      await call().catch((error: unknown) => {
        if (!isSdkError(error)) failures.push(`${name}, ${place}: ${error}`)
      })
    }
  }

  expect(failures).toEqual([])
  expect(changes.length).toBeGreaterThan(50)
  tried(changes.length, 'records with one value changed')
})
