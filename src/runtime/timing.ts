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

/** Returns the timing of what has these options: the real one, unless a test replaces parts of it. */
export const timingOf = (options: object): Timing => ({
  ...realTiming,
  ...(options as { readonly [timing]?: Partial<Timing> })[timing],
})

interface Listeners {
  readonly all: Set<() => void>
  readonly notify: () => void
}

const bySignal = new WeakMap<AbortSignal, Listeners>()

/**
 * Calls `listener` when the signal aborts. This package adds only one listener to a signal, because one signal may end
 * a hundred calls, and Node 20 warns of a leak at eleven listeners.
 *
 * @returns a function that removes the listener
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = bySignal.get(signal) ?? listenTo(signal)
  listeners.all.add(listener)
  return () => {
    listeners.all.delete(listener)
    if (listeners.all.size > 0 || bySignal.get(signal) !== listeners) return
    bySignal.delete(signal)
    signal.removeEventListener('abort', listeners.notify)
  }
}

function listenTo(signal: AbortSignal): Listeners {
  const all = new Set<() => void>()
  const notify = () => {
    for (const listener of [...all]) listener()
  }
  const listeners = { all, notify }
  bySignal.set(signal, listeners)
  signal.addEventListener('abort', notify)
  return listeners
}

const baseDelayMs = 500
const longestDelayMs = 8_000

/**
 * Returns the wait before the next attempt, in milliseconds: exponential, with full jitter.
 *
 * @param retry counts from 1
 * @param random from 0 to 1
 */
export function backoffMs(retry: number, random: number): number {
  // Full jitter, so that callers that failed together do not retry together.
  return Math.round(random * Math.min(longestDelayMs, baseDelayMs * 2 ** (retry - 1)))
}
