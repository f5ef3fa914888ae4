import { load } from './modules.ts'

/** A heap that has grown by more than this holds on to what has ended, in bytes. */
const maxGrowth = 24_000_000

/**
 * Simulates a busy backend for 24 hours, and measures what is left.
 *
 * @returns 1 if something was left behind or went wrong
 */
export async function soak(): Promise<number> {
  const { runDay, close } = await load()
  const startedAt = performance.now()
  const day = await runDay()
  await close()
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  console.log(`24 simulated hours in ${seconds} s:`, day)
  const hasGrown = day.heapGrowth > maxGrowth
  return day.problems.length > 0 || day.pendingAtEnd > 0 || hasGrown ? 1 : 0
}
