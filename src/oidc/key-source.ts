import { TokenValidationError } from '../errors/sign-in-errors.ts'
import { type SigningKey, usableKeys } from './signing-keys.ts'

/** How keys are kept. */
export interface KeySourceOptions {
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

/** After the first fetch that brought nothing, and after later ones: 8 fetches a minute, a rotation found in 10 s. */
const firstCooldownMs = 1_000
const laterCooldownMs = 8_500

/** Keys behind an endpoint: cached, fetched once at a time, and never more often than a cooldown allows. */
export class KeySource implements Keys {
  readonly #options: KeySourceOptions
  #keys: readonly SigningKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  #underway: Promise<void> | undefined
  /** Fetches in a row that were asked for outside the ordinary rhythm, and brought nothing. */
  #fruitless = 0
  #nextAt = Number.NEGATIVE_INFINITY
  #failure: unknown

  constructor(options: KeySourceOptions) {
    this.#options = options
  }

  async candidates(kid: string | undefined): Promise<readonly SigningKey[]> {
    if (this.#age >= this.#options.cacheMs) await this.#refresh()
    if (this.#age >= this.#options.cacheMs + this.#options.maxStaleMs) {
      throw new TokenValidationError('keys_unavailable', 'the key set could not be read', {
        cause: this.#failure,
      })
    }
    if (kid !== undefined && !this.#keys.some((key) => key.kid === kid) && (await this.renew())) {
      if (this.#keys.some((key) => key.kid === kid)) this.#fruitless = 0
    }
    return pick(this.#keys, kid)
  }

  async renew(): Promise<boolean> {
    if (this.#underway) {
      await this.#underway
      return true
    }
    if (this.#options.now() < this.#nextAt) return false
    const before = this.#keys
    await this.#fetch()
    const isNews = this.#keys.some((key) => !before.some((known) => known.kid === key.kid))
    if (isNews) this.#nextAt = Number.NEGATIVE_INFINITY
    else this.#coolDown()
    return true
  }

  get #age(): number {
    return this.#options.now() - this.#fetchedAt
  }

  /** The ordinary rhythm; while the endpoint fails, it is not asked at every token. */
  async #refresh(): Promise<void> {
    if (!this.#underway && this.#failure !== undefined && this.#options.now() < this.#nextAt) return
    await this.#fetch()
    if (this.#failure !== undefined) this.#coolDown()
  }

  #coolDown(): void {
    const now = this.#options.now()
    if (now < this.#nextAt) return
    if (now - this.#nextAt > 60_000) this.#fruitless = 0
    this.#nextAt = now + (this.#fruitless === 0 ? firstCooldownMs : laterCooldownMs)
    this.#fruitless++
  }

  #fetch(): Promise<void> {
    this.#underway ??= this.#read().finally(() => {
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

function pick(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  const found = kid === undefined ? keys : keys.filter((key) => key.kid === kid)
  if (found.length === 0 || (kid === undefined && keys.length > 1)) {
    const what =
      kid === undefined
        ? 'the token names no key, and there is not exactly one'
        : 'no key has the kid of the token'
    throw new TokenValidationError('key_not_found', what, { claim: 'kid' })
  }
  if (found.every((key) => key.isWeak)) {
    throw new TokenValidationError('weak_key', 'the key is shorter than 2048 bits', { claim: 'kid' })
  }
  return found.filter((key) => !key.isWeak)
}
