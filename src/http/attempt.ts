import { AbortedError, type CallFacts, TimeoutError } from '../errors/call-errors.ts'
import { onAbort } from '../runtime/abort.ts'

/** The time that a whole call has, and the caller's wish to end it. */
export class Deadline {
  readonly #endsAt: number | undefined
  readonly deadlineMs: number | undefined
  readonly #now: () => number

  constructor(deadlineMs: number | undefined, now: () => number) {
    this.deadlineMs = deadlineMs
    this.#now = now
    this.#endsAt = deadlineMs === undefined ? undefined : now() + deadlineMs
  }

  /** Milliseconds left; infinite without a deadline. */
  get leftMs(): number {
    return this.#endsAt === undefined ? Number.POSITIVE_INFINITY : this.#endsAt - this.#now()
  }
}

interface AttemptedCall extends CallFacts {
  /** Whether an attempt before this one may have been carried out. */
  readonly mayHaveArrived: boolean
}

/**
 * One attempt: the clock that runs while it does, and whether its bytes have gone out. It ends once, by its
 * timer, by the caller's signal or by {@link finish}, and leaves no timer and no listener behind.
 */
export class Attempt {
  readonly #call: AttemptedCall
  readonly #signal: AbortSignal | undefined
  readonly #timer: ReturnType<typeof setTimeout>
  #stopListening: (() => void) | undefined
  #ended: TimeoutError | AbortedError | undefined
  #stop: ((reason: Error) => void) | undefined
  /** Set by the transport before the first byte goes out. */
  mayHaveArrived = false

  constructor(
    call: AttemptedCall,
    limits: { timeoutMs: number; deadline: Deadline; signal: AbortSignal | undefined },
  ) {
    this.#call = call
    this.#signal = limits.signal
    const { leftMs, deadlineMs } = limits.deadline
    const byDeadline = leftMs < limits.timeoutMs
    const limit = byDeadline ? ('deadlineMs' as const) : ('timeoutMs' as const)
    const limitMs = byDeadline ? (deadlineMs as number) : limits.timeoutMs
    this.#timer = setTimeout(
      () => {
        this.#end(new TimeoutError(this.#call, { limit, limitMs, mayHaveArrived: this.#mayHaveArrived }))
      },
      Math.max(0, Math.min(leftMs, limits.timeoutMs)),
    )
    if (this.#signal) this.#stopListening = onAbort(this.#signal, this.#abort)
  }

  /** Why the attempt was ended from outside, if it was. */
  get ended(): TimeoutError | AbortedError | undefined {
    return this.#ended
  }

  /** Calls `stop` when the attempt must end; at once where it has. */
  onEnd(stop: (reason: Error) => void): void {
    if (this.#ended) stop(this.#ended)
    else this.#stop = stop
  }

  /**
   * Waits for work of the caller's that may never end.
   *
   * @param late undoes work that ends after the attempt has
   */
  raceAbort<T>(work: Promise<T>, late?: (result: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.onEnd(reject)
      work.then((result) => (this.#ended ? late?.(result) : resolve(result)), reject)
    })
  }

  finish(): void {
    clearTimeout(this.#timer)
    this.#stopListening?.()
    this.#stop = undefined
  }

  readonly #abort = () => {
    const facts = { mayHaveArrived: this.#mayHaveArrived, cause: this.#signal?.reason }
    this.#end(new AbortedError(this.#call, facts))
  }

  /** In this attempt, or in one before it. */
  get #mayHaveArrived(): boolean {
    return this.mayHaveArrived || this.#call.mayHaveArrived
  }

  #end(reason: TimeoutError | AbortedError): void {
    if (this.#ended) return
    this.#ended = reason
    const stop = this.#stop
    this.finish()
    stop?.(reason)
  }
}
