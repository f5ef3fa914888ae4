import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { JwksRateLimiter } from './jwks-rate-limiter.ts'
import { type SigningKey, usableKeys } from './signing-keys.ts'

/** How keys are kept. */
export interface JwksCacheOptions {
  /** How long a set is used without asking again, in milliseconds. */
  readonly cacheMs: number
  /** How much longer known keys serve while the endpoint does not, in milliseconds. */
  readonly maxStaleMs: number
  /** Milliseconds that only ever grow. */
  readonly now: () => number
  /** Fetches the `keys` of the set. */
  readonly fetch: () => Promise<readonly unknown[]>
}

/** Where the keys of an issuer come from. */
export interface Keys {
  /**
   * The keys that may have signed a token.
   *
   * @param kid the token's; without one, the only key of a set
   * @throws {TokenValidationError} `keys_unavailable`, `key_not_found` or `weak_key`
   */
  candidates(kid: string | undefined): Promise<readonly SigningKey[]>
  /** Reads the set again after keys of it did not fit, as often as abuse allows. @returns whether it did */
  renew(): Promise<boolean>
}

/** A set that somebody handed over: it is what it is. */
export function fixedKeys(keys: readonly unknown[]): Keys {
  const usable = usableKeys(keys)
  return { candidates: async (kid) => pick(usable, kid), renew: async () => false }
}

/** Keys behind an endpoint: cached, fetched once at a time, and out of their turn at a bounded pace. */
export class JwksCache implements Keys {
  readonly #options: JwksCacheOptions
  readonly #pace: JwksRateLimiter
  #keys: readonly SigningKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #underway: Promise<void> | undefined
  /** Of the last fetch, if it failed. */
  #failure: unknown

  constructor(options: JwksCacheOptions) {
    this.#options = options
    this.#pace = new JwksRateLimiter(options.now)
  }

  async candidates(kid: string | undefined): Promise<readonly SigningKey[]> {
    const isNewest = await this.#freshen()
    if (fitting(this.#keys, kid).length === 0) {
      if (!isNewest) await this.renew()
      if (this.#failure !== undefined && fitting(this.#keys, kid).length === 0) throw this.#unavailable()
    }
    return pick(this.#keys, kid)
  }

  async renew(): Promise<boolean> {
    if (this.#underway) {
      await this.#underway
      return true
    }
    if (!this.#pace.take()) return false
    const before = new Set(this.#keys.map(({ identity }) => identity))
    await this.#begin()
    if (this.#keys.some(({ identity }) => !before.has(identity))) this.#pace.refund()
    return true
  }

  get #age(): number {
    return this.#options.now() - this.#fetchedAt
  }

  /**
   * Reads the set when its time is over.
   *
   * @returns whether it was read for this call, so that there is nothing newer
   * @throws {TokenValidationError} `keys_unavailable`
   */
  async #freshen(): Promise<boolean> {
    const { cacheMs, maxStaleMs } = this.#options
    if (this.#age < cacheMs) return false
    const wasDown = this.#failure !== undefined
    const begins = this.#underway === undefined && (this.#pace.take() || !wasDown)
    if (begins) this.#begin()
    // While the endpoint is down, keys that may still serve do so at once: nobody waits for it again.
    const waits = !wasDown || this.#age >= cacheMs + maxStaleMs
    if (waits) await this.#underway
    if (this.#failure !== undefined && this.#age >= cacheMs + maxStaleMs) throw this.#unavailable()
    return begins && waits
  }

  #unavailable(): TokenValidationError {
    const facts = { cause: this.#failure }
    return new TokenValidationError('keys_unavailable', "the issuer's keys could not be read", facts)
  }

  #begin(): Promise<void> {
    this.#underway = this.#read().finally(() => {
      this.#underway = undefined
    })
    return this.#underway
  }

  async #read(): Promise<void> {
    try {
      this.#keys = usableKeys(await this.#options.fetch())
      this.#fetchedAt = this.#options.now()
      this.#failure = undefined
    } catch (failure) {
      this.#failure = failure
    }
  }
}

/** A name tells which. Where the token or the key has none, only a set of one key leaves no doubt. */
function fitting(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  const named = kid === undefined ? [] : keys.filter((key) => key.kid === kid)
  if (named.length > 0) return named
  const strong = keys.filter((key) => !key.isWeak)
  const only = (strong.length > 0 ? strong : keys).slice(0, 2)
  return only.length === 1 && (kid === undefined || only[0]?.kid === undefined) ? only : []
}

function pick(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  const found = fitting(keys, kid)
  if (found.length === 0) {
    const what =
      kid === undefined
        ? 'the token names no key, and there is not exactly one'
        : 'no key has the kid of the token'
    throw new TokenValidationError('key_not_found', what, { claim: 'kid' })
  }
  const strong = found.filter((key) => !key.isWeak)
  if (strong.length === 0) {
    throw new TokenValidationError('weak_key', 'the key is shorter than 2048 bits', { claim: 'kid' })
  }
  return strong
}
