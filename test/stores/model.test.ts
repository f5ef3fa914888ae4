import fc from 'fast-check'
import { it } from 'vitest'
import { memoryStore } from '../../src/webhooks.ts'
import { StoreModel, storeCommands } from '../support/store-commands.ts'

/** Lifetimes that are over, that end during the commands, and that do not end. */
const lifetimes = fc.constantFrom(undefined, -5, 0, 0.5, 1, 100, 60_000, 6e15, Number.MAX_SAFE_INTEGER + 1)

it('a memory store does what a Map whose entries end does, for any operations', async () => {
  await fc.assert(
    fc.asyncProperty(storeCommands(lifetimes, 100), async (commands) => {
      const model = new StoreModel()
      const store = memoryStore({ now: () => new Date(model.now) })
      // The store reads the time of the model.
      await fc.asyncModelRun(() => ({ model, real: { store, pass: () => {} } }), commands)
    }),
    { numRuns: 100 },
  )
})
