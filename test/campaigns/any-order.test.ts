import { it } from 'vitest'
import { checkAnyOrder } from '../verification/manager/any-order.ts'

it('2,000 lists of commands, in any order, approve a person only by an approved session of the manager', async () => {
  await checkAnyOrder(2_000)
})
