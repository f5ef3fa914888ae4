import type { Timing } from './timing.ts'

/** How much later than its limit work counts as lost, so that work that ends by its own limit gives its own error. */
const graceMs = 250

type Settled<T> = { readonly value: T } | { readonly error: unknown }

/**
 * Work that one call begins, and others wait for. On Workers, if the request of that call has ended, the promise of the
 * work never settles, or the runtime rejects it (with newer compatibility dates), and timers of that request never fire.
 * So each call that waits has a timer of its own, and work that exceeds its limit counts as lost. The next call begins
 * its own.
 */
export class SharedWork<T> {
  readonly #timing: Pick<Timing, 'now' | 'timer'>
  #outcome: Promise<Settled<T>> | undefined
  #endsAt = 0

  constructor(timing: Pick<Timing, 'now' | 'timer'>) {
    this.#timing = timing
  }

  /** Whether work has begun that has neither settled nor been lost. */
  get isPending(): boolean {
    return this.#outcome !== undefined && this.#timing.now() < this.#endsAt
  }

  /** @param limitMs how long the work takes at most by its own limits, in milliseconds */
  start(work: Promise<T>, limitMs: number): void {
    const outcome = work.then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
    outcome.then(() => this.#end(outcome))
    this.#outcome = outcome
    this.#endsAt = this.#timing.now() + limitMs + graceMs
  }

  /**
   * Waits for the pending work.
   *
   * @returns what it returned, or `undefined` if it is lost
   * @throws what it threw
   */
  async settled(): Promise<{ readonly value: T } | undefined> {
    const { now, timer } = this.#timing
    const outcome = this.#outcome
    let stopWaiting = () => {}
    const lost = new Promise<undefined>((resolve) => {
      const cancel = timer(() => resolve(undefined), Math.max(0, this.#endsAt - now()))
      // Tools that look for leaks report promises that never settle.
      stopWaiting = () => {
        cancel()
        resolve(undefined)
      }
    })
    // The work has no part in a rejection of its outcome.
    const ended = await Promise.race([outcome, lost]).catch(() => undefined)
    stopWaiting()
    if (ended === undefined) this.#end(outcome)
    else if ('error' in ended) throw ended.error
    return ended
  }

  #end(outcome: Promise<Settled<T>> | undefined): void {
    if (this.#outcome === outcome) this.#outcome = undefined
  }
}
