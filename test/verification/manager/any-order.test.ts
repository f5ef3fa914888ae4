import { it } from 'vitest'
import { checkAnyOrder } from './any-order.ts'

it('whatever happens in any order, only an approved session of a manager approves a person', async () => {
  // The campaigns run more. The time is for a busy machine.
  await checkAnyOrder(30)
}, 60_000)
