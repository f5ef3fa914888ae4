import { onAbort } from './abort.ts'

/** The clocks, timers and randomness of the package. Tests replace them. */
export interface Timing {
  /** A monotonic clock, in milliseconds. */
  now(): number
  /** Milliseconds since the epoch. */
  wallClock(): number
  /** Waits. Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  /**
   * Calls back once, unless the returned function cancels it first.
   *
   * @param options `unref`: a pending timer does not keep the process alive
   */
  timer(callback: () => void, ms: number, options?: { readonly unref?: boolean }): () => void
  /** A number from 0 to 1. */
  random(): number
}

/** Key of a hidden option, through which tests replace the timing. */
export const timing: unique symbol = Symbol('timing')

/** The longest delay that a JavaScript timer can hold. */
export const longestTimerMs = 2_147_483_647

export const realTiming: Timing = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
  timer: (callback, ms, { unref = false } = {}) => {
    const timer = setTimeout(callback, ms)
    // Outside Node a timer may be a number, which has no `unref`.
    if (unref) (timer as { unref?: () => unknown }).unref?.()
    return () => clearTimeout(timer)
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        stopListening?.()
        resolve()
      }
      const timer = setTimeout(end, ms)
      const stopListening = signal && onAbort(signal, end)
    }),
}
