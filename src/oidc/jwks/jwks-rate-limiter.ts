/** Two in a row, so that a rotation right after a fetch is picked up at once. */
const burst = 2

/** With the burst, 8 a minute; and a rotation is found within 10 seconds, however many tokens are forged. */
const refillMs = 9_500

/** How often the keys may be read out of their turn: strangers decide how many tokens name unknown keys. */
export class JwksRateLimiter {
  readonly #now: () => number
  #left = burst
  #countedAt: number

  constructor(now: () => number) {
    this.#now = now
    this.#countedAt = now()
  }

  /** @returns whether one more is allowed; it counts from now on */
  take(): boolean {
    const now = this.#now()
    this.#left = Math.min(burst, this.#left + (now - this.#countedAt) / refillMs)
    this.#countedAt = now
    if (this.#left < 1) return false
    this.#left--
    return true
  }

  /** Gives one back: it brought new keys, and that is in nobody's hands but the issuer's. */
  refund(): void {
    this.#left++
  }
}
