import { AbortedError, factsOf, type TimeoutError } from '../../errors/call-errors.ts'
import { onAbort, type Timing } from '../../runtime/timing.ts'
import type { Deadline } from '../deadline.ts'
import type { TransportAttempt } from '../transport/transport.ts'
import type { CallState } from './call-state.ts'
import { timeoutError } from './final-error.ts'

/** The limits of one attempt. */
export interface AttemptLimits {
  readonly timeoutMs: number
  readonly deadline: Deadline
  readonly signal: AbortSignal | undefined
}

/**
 * One attempt while it runs. It ends once: by its timer, by the caller's signal or by {@link finish}. It leaves no
 * timer and no listener behind.
 */
export class Attempt implements TransportAttempt {
  readonly #state: CallState
  readonly #signal: AbortSignal | undefined
  readonly #cancelTimer: () => void
  readonly #stopListening: (() => void) | undefined
  #ended: TimeoutError | AbortedError | undefined
  #stop: ((reason: Error) => void) | undefined

  constructor(state: CallState, { timeoutMs, deadline, signal }: AttemptLimits, timing: Timing) {
    this.#state = state
    this.#signal = signal
    const { leftMs, deadlineMs } = deadline
    const limit = leftMs < timeoutMs ? ('deadlineMs' as const) : ('timeoutMs' as const)
    const limitMs = limit === 'deadlineMs' ? (deadlineMs as number) : timeoutMs
    const onTimeout = () => this.#end(timeoutError(state, { limit, limitMs }))
    this.#cancelTimer = timing.timer(onTimeout, Math.max(0, Math.min(leftMs, timeoutMs)))
    if (signal) this.#stopListening = onAbort(signal, this.#abort)
  }

  /** Why the attempt was ended from outside, if it was. */
  get ended(): TimeoutError | AbortedError | undefined {
    return this.#ended
  }

  /** Calls `stop` when the attempt is ended from outside: at once if it was already. */
  onEnd(stop: (reason: Error) => void): void {
    if (this.#ended) stop(this.#ended)
    else this.#stop = stop
  }

  markSent(sent?: boolean): void {
    this.#state.markSent(sent)
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

  readonly #abort = () =>
    this.#end(
      new AbortedError({
        ...factsOf(this.#state),
        mayHaveArrived: this.#state.mayHaveExecuted,
        cause: this.#signal?.reason,
      }),
    )

  #end(reason: TimeoutError | AbortedError): void {
    if (this.#ended) return
    this.#ended = reason
    const stop = this.#stop
    this.finish()
    stop?.(reason)
  }
}
