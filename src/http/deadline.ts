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
    return this.#endsAt === Number.POSITIVE_INFINITY ? this.#endsAt : this.#endsAt - this.#now()
  }
}
