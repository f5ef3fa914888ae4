import type { Timing } from '../runtime/timing.ts'
import type { EventOutcome } from './event-inbox.ts'

/**
 * The events that this process is handling. A duplicate waits here for the end of its event, and not in the database,
 * because each wait there takes a connection.
 */
export class RunningEvents {
  /** Resolves to whether the event is recorded now. */
  readonly #ends = new Map<string, Promise<boolean>>()
  readonly #timing: Pick<Timing, 'now' | 'timer'>

  constructor(timing: Pick<Timing, 'now' | 'timer'>) {
    this.#timing = timing
  }

  /**
   * Runs an event, unless it is running here. A duplicate runs if the event before it fails.
   *
   * @param waitMs how long a duplicate waits
   * @param start gets what is left of the wait, at least 1 ms
   */
  async run(key: string, waitMs: number, start: (leftMs: number) => Promise<EventOutcome>): Promise<EventOutcome> {
    const giveUpAt = this.#timing.now() + waitMs
    const left = () => Math.max(1, Math.ceil(giveUpAt - this.#timing.now()))
    for (let end = this.#ends.get(key); end !== undefined; end = this.#ends.get(key)) {
      const isRecorded = await this.#within(left(), end)
      if (isRecorded === undefined) return 'in_progress'
      if (isRecorded) return 'duplicate'
    }
    const running = start(left())
    const end = running.then(
      (outcome) => outcome !== 'in_progress',
      () => false,
    )
    this.#ends.set(
      key,
      end.finally(() => this.#ends.delete(key)),
    )
    return running
  }

  /** Resolves to `undefined` if it takes longer. */
  #within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve) => {
      const cancel = this.#timing.timer(() => resolve(undefined), ms)
      promise.then((value) => {
        cancel()
        resolve(value)
      })
    })
  }
}
