import { expect, it } from 'vitest'
import { some, tried } from '../../../attack/size.ts'
import { inProcess } from '../../support/service.ts'
import { fullSnapshot, oneChangeOf, useAfterRestore, withChange } from './damage.ts'

it('a snapshot with one value changed is refused with the place, or no call fails because of it', async () => {
  const { snapshot, held } = await fullSnapshot()
  const changes = some(oneChangeOf(snapshot), 150)
  const failures: string[] = []
  let refusals = 0

  for (const { name, changed } of changes) {
    const { refused, failures: found } = await useAfterRestore(changed(), held)
    failures.push(...found.map((failure) => `${name}: ${failure}`))
    if (refused !== undefined) refusals += 1
  }

  expect(failures).toEqual([])
  expect(changes.length).toBeGreaterThan(100)
  expect(refusals).toBeGreaterThan(changes.length / 2)
  tried(changes.length, 'snapshots with one value changed')
})

it('the snapshot itself is restored, and no call fails after it', async () => {
  const { snapshot, held } = await fullSnapshot()

  expect(await useAfterRestore(snapshot, held)).toEqual({ refused: undefined, failures: [] })
})

it.each([
  ['takenAt', 'now', 'takenAt must be a time until the year 9000'],
  ['signingKeys.0.n', 'AQAB', 'signingKeys.0 is not a private key'],
  ['signingKeys.0.n', '_'.repeat(100_000), 'signingKeys.0 is not a private key'],
  ['signingKeys.0.d', '_'.repeat(100_000), 'signingKeys.0 is not a private key'],
  ['signingKeys', {}, 'signingKeys must be an array'],
  ['state.sessions.0.status', 'UNKNOWN', 'state.sessions.0.status must be one of NOT_STARTED'],
  ['state.sessions.0.createdAt', 'yesterday', 'state.sessions.0.createdAt must be a time'],
  ['state.sessions.0.redirectUrl', 'back', 'state.sessions.0.redirectUrl must be a URL'],
  ['state.wallet.balance', null, 'state.wallet.balance must be a finite number'],
  ['state.roster.rows.0', [], 'state.roster.rows.0 must be an object'],
  ['state.faults.0.left', 0, 'state.faults.0.left must be a positive whole number, or Infinity'],
  ['state.keys', { $map: 7 }, 'state.keys.$map has the wrong form'],
  ['state.more', 1, 'state.more is not an option'],
])('names the place %s of a damaged snapshot', async (path, value, problem) => {
  const { snapshot } = await fullSnapshot()
  const { emulator } = inProcess()

  const error = await emulator.restore(withChange(snapshot, path, value)).catch((thrown: unknown) => thrown)

  expect(String(error)).toContain(`emulator.restore: the snapshot is damaged: ${problem}`)
  expect(String(error)).toContain('Nothing was changed')
})
