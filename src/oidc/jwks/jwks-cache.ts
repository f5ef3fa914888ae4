import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { type KeyProvider, matchingKeys, type SigningKey, selectKeys, usableKeys } from './signing-keys.ts'

/** How a key set is fetched and cached. */
export interface JwksCacheOptions {
  /** How long a set is used before it is fetched again, in milliseconds. */
  readonly cacheMs: number
  /** How much longer the keys stay in use if the endpoint fails, in milliseconds. */
  readonly maxStaleMs: number
  /** A clock that never goes back, in milliseconds. */
  readonly now: () => number
  /** Fetches the `keys` of the set. */
  readonly fetch: () => Promise<readonly unknown[]>
}

/** The keys behind an endpoint: cached, fetched by one request at a time, and refetched at a limited rate. */
export class JwksCache implements KeyProvider {
  readonly #options: JwksCacheOptions
  readonly #rateLimiter: JwksRateLimiter
  #keys: readonly SigningKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #pendingFetch: Promise<void> | undefined
  /** What the last fetch failed with, if it failed. */
  #failure: unknown

  constructor(options: JwksCacheOptions) {
    this.#options = options
    this.#rateLimiter = new JwksRateLimiter(options.now)
  }

  async candidates(kid: string | undefined): Promise<readonly SigningKey[]> {
    const isNewest = this.#ageMs >= this.#options.cacheMs && (await this.#replaceExpired())
    if (matchingKeys(this.#keys, kid).length === 0) {
      if (!isNewest) await this.refetch()
      if (this.#failure !== undefined && matchingKeys(this.#keys, kid).length === 0) throw this.#unavailable()
    }
    return selectKeys(this.#keys, kid)
  }

  async refetch(): Promise<boolean> {
    if (this.#pendingFetch) {
      await this.#pendingFetch
      return true
    }
    if (!this.#rateLimiter.tryTake()) return false
    const before = new Set(this.#keys.map(({ identity }) => identity))
    await this.#startFetch()
    if (this.#keys.some(({ identity }) => !before.has(identity))) this.#rateLimiter.refund()
    return true
  }

  get #ageMs(): number {
    return this.#options.now() - this.#fetchedAt
  }

  /**
   * Fetches a set that has expired, unless another call is fetching it or the limit is reached.
   *
   * @returns whether it was fetched for this call, so that another fetch would find nothing newer
   * @throws {TokenValidationError} `keys_unavailable`
   */
  async #replaceExpired(): Promise<boolean> {
    const { cacheMs, maxStaleMs } = this.#options
    const wasFailing = this.#failure !== undefined
    // The limit holds for an endpoint that fails. The regular fetch of one that works is always allowed.
    const starts = this.#pendingFetch === undefined && (this.#rateLimiter.tryTake() || !wasFailing)
    if (starts) this.#startFetch()
    // While the endpoint fails, keys that may still be used are used at once, without waiting for it again.
    const waits = !wasFailing || this.#ageMs >= cacheMs + maxStaleMs
    if (waits) await this.#pendingFetch
    if (this.#failure !== undefined && this.#ageMs >= cacheMs + maxStaleMs) throw this.#unavailable()
    return starts && waits
  }

  #unavailable(): TokenValidationError {
    const message = "the issuer's keys could not be fetched: see cause, then try again"
    return new TokenValidationError({ reason: 'keys_unavailable', message, cause: this.#failure })
  }

  #startFetch(): Promise<void> {
    this.#pendingFetch = this.#fetch().finally(() => {
      this.#pendingFetch = undefined
    })
    return this.#pendingFetch
  }

  async #fetch(): Promise<void> {
    try {
      this.#keys = usableKeys(await this.#options.fetch())
      this.#fetchedAt = this.#options.now()
      this.#failure = undefined
    } catch (failure) {
      this.#failure = failure
    }
  }
}

/** Two fetches in a row, so that a rotation right after a fetch is found at once. */
const burst = 2

/** Together with the burst: at most 8 fetches a minute, and a rotation is found within 10 seconds. */
const refillMs = 9_500

/**
 * Limits the fetches of a key set that tokens cause, because anyone can send tokens with unknown keys. It is a token
 * bucket.
 */
class JwksRateLimiter {
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
