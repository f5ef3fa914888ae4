/** Two fetches in a row, so that a rotation right after a fetch is found at once. */
const burst = 2

/** Together with the burst: at most 8 fetches a minute, and a rotation is found within 10 seconds. */
const refillMs = 9_500

/**
 * Limits the fetches of a key set that tokens cause, because anyone can send tokens with unknown keys. It is a token
 * bucket.
 */
export class JwksRateLimiter {
  readonly #now: () => number
  #available = burst
  #refilledAt: number

  /** @param now a clock that never goes back, in milliseconds */
  constructor(now: () => number) {
    this.#now = now
    this.#refilledAt = now()
  }

  /** Takes one fetch. @returns false if none is available */
  tryTake(): boolean {
    const now = this.#now()
    this.#available = Math.min(burst, this.#available + (now - this.#refilledAt) / refillMs)
    this.#refilledAt = now
    if (this.#available < 1) return false
    this.#available--
    return true
  }

  /** Returns one fetch to the bucket. For a fetch that found new keys, because only the issuer can cause those. */
  refund(): void {
    this.#available++
  }
}
