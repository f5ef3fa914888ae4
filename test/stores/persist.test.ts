import { expect, it } from 'vitest'
import { persist } from '../../src/stores/operation.ts'
import { testTiming } from '../support/timing.ts'

/** A write that fails a number of times before it succeeds. */
function failing(times: number) {
  let attempts = 0
  const write = async () => {
    if (++attempts <= times) throw new Error(`failure ${attempts}`)
    return attempts
  }
  return { write, attempts: () => attempts }
}

it('tries a write that fails again, after a pause', async () => {
  const { timing, waits } = testTiming()

  expect(await persist(failing(2).write, timing)).toBe(3)
  expect(waits).toEqual([500, 500])
})

it('rejects with the last error after three attempts', async () => {
  const { timing } = testTiming()
  const { write, attempts } = failing(3)

  await expect(persist(write, timing)).rejects.toThrow('failure 3')
  expect(attempts()).toBe(3)
})
