import fc from 'fast-check'
import { expect, it } from 'vitest'
import { actor, anyAct, nothingKnown, seenBy } from './actions.ts'

it('a restored emulator responds to any requests as the one does whose state it has', async () => {
  // Generating a key takes longer than all the rest.
  const empty = await actor({ seed: 1 }, nothingKnown()).emulator.snapshot()
  const acts = fc.array(anyAct, { minLength: 5, maxLength: 30 })

  await fc.assert(
    fc.asyncProperty(acts, acts, async (before, after) => {
      const original = actor({ seed: 1 }, nothingKnown())
      await original.emulator.restore(empty)
      await seenBy(original, before)
      const snapshot = JSON.parse(JSON.stringify(await original.emulator.snapshot()))
      const restored = actor({ seed: 2, members: [{ email: 'other@example.com' }] }, structuredClone(original.known))

      await restored.emulator.restore(snapshot)

      const seen = await seenBy(restored, after)
      expect(seen).toEqual(await seenBy(original, after))
      const { takenAt, signingKeys, state } = await original.emulator.snapshot()
      expect(await restored.emulator.snapshot()).toMatchObject({ takenAt, signingKeys })
      expect((await restored.emulator.snapshot()).state).toEqual(state)
    }),
    { numRuns: 20 },
  )
})
