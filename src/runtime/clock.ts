import { onAbort } from './abort.ts'

/** What the pipeline takes from the clock and from chance; tests bring their own. */
export interface Timing {
  /** Milliseconds that only ever grow. */
  now(): number
  /** Milliseconds since the epoch. */
  wallClock(): number
  /** Waits; ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** From 0 to 1. */
  random(): number
}

/** The key of an option that only tests know. */
export const timing: unique symbol = Symbol('timing')

export const realTiming: Timing = {
  now: () => performance.now(),
  wallClock: () => Date.now(),
  random: () => Math.random(),
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
