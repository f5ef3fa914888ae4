import type { AbortedError, TimeoutError } from '../../errors/call-errors.ts'
import { onAbort, type Timing } from '../../runtime/timing.ts'
import type { TransportAttempt } from '../transport/transport.ts'
import type { CallState } from './call-state.ts'
import { abortedError, timeoutError } from './final-error.ts'

/** The time limit of a whole call. */
export class Deadline {
  readonly deadlineMs: number | undefined
  readonly #endsAt: number
  readonly #now: () => number

  constructor(deadlineMs: number | undefined, now: () => number) {
    this.deadlineMs = deadlineMs
    this.#now = now
    this.#endsAt = deadlineMs === undefined ? Number.POSITIVE_INFINITY : now() + deadlineMs
  }

  /** Milliseconds left; infinite without a deadline. */
  get leftMs(): number {
    return this.#endsAt - this.#now()
  }
}

/**
 * One attempt while it runs. It ends once: by its timer, by the caller's signal or by {@link finish}. It leaves no
 * timer and no listener behind.
 */
export class Attempt implements TransportAttempt {
  readonly #state: CallState
  readonly #cancelTimer: () => void
  readonly #stopListening: (() => void) | undefined
  readonly #onTimeout: () => void
  readonly #limitMs: number
  readonly #now: () => number
  #ended: TimeoutError | AbortedError | undefined
  #stop: ((reason: Error) => void) | undefined

  constructor(state: CallState, timeoutMs: number, { leftMs, deadlineMs }: Deadline, timing: Timing) {
    const { signal } = state.call.options
    this.#state = state
    const limit = leftMs < timeoutMs ? ('deadlineMs' as const) : ('timeoutMs' as const)
    const limitMs = limit === 'deadlineMs' ? (deadlineMs as number) : timeoutMs
    const attemptMs = Math.max(0, Math.min(leftMs, timeoutMs))
    this.#limitMs = attemptMs
    this.#now = timing.now
    this.#onTimeout = () => this.#end(timeoutError(state, { limit, limitMs }))
    this.#cancelTimer = timing.timer(this.#onTimeout, attemptMs)
    if (signal) this.#stopListening = onAbort(signal, () => this.#end(abortedError(state)))
  }

  /** Why the attempt was ended from outside, if it was. */
  get ended(): TimeoutError | AbortedError | undefined {
    return this.#ended
  }

  /**
   * Does synchronous work, during which the timer cannot end the attempt, and ends it if the work alone took its whole
   * time. A pause of the process before the work does not count, because a received response may not be sent again.
   */
  timed<T>(work: () => T): T {
    const startedAt = this.#now()
    const result = work()
    if (this.#now() - startedAt >= this.#limitMs) this.#onTimeout()
    if (this.#ended) throw this.#ended
    return result
  }

  /** Calls `stop` when the attempt is ended from outside: at once if it was already. */
  onEnd(stop: (reason: Error) => void): void {
    if (this.#ended) stop(this.#ended)
    else this.#stop = stop
  }

  markSent(sent?: boolean): void {
    this.#state.markSent(sent)
  }

  markAnswered(): void {
    this.#state.bodyOpened(undefined)
  }

  /**
   * Waits for work that may never end, and rejects if the attempt ends first.
   *
   * @param late undoes work that ends after the attempt
   */
  raceAbort<T>(work: T | Promise<T>, late?: (result: T) => void): T | Promise<T> {
    if (!(work instanceof Promise)) return work
    return new Promise((resolve, reject) => {
      this.onEnd(reject)
      work.then((result) => (this.#ended ? late?.(result) : resolve(result)), reject)
    })
  }

  finish(): void {
    this.#cancelTimer()
    this.#stopListening?.()
    this.#stop = undefined
  }

  #end(reason: TimeoutError | AbortedError): void {
    if (this.#ended) return
    this.#ended = reason
    const stop = this.#stop
    this.finish()
    stop?.(reason)
  }
}
