import { backoffMs, type Timing } from '../runtime/timing.ts'

const maxAttempts = 3

/**
 * Runs a write that must not be lost because the store fails briefly, up to three times.
 *
 * @param write must recognize what an earlier attempt wrote, because its response may have been lost:
 *   `(await store.compareAndSet(key, old, next)) || (await store.get(key)) === next`
 * @throws the error of the last attempt
 */
export async function persist<T>(
  write: () => Promise<T>,
  timing: Pick<Timing, 'sleep' | 'random'>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write()
    } catch (error) {
      if (attempt === maxAttempts) throw error
      await timing.sleep(backoffMs(1, timing.random()), undefined)
    }
  }
}
