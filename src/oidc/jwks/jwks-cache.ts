import type { CryptoKey } from 'jose'
import { readKeys, signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { TimeoutError } from '../../errors/call-errors.ts'
import type { Rejection } from '../../errors/sdk-error.ts'
import { tokenRejection } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url } from '../../runtime/bytes.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import { SharedWork } from '../../runtime/shared-work.ts'
import type { Timing } from '../../runtime/timing.ts'

let jose: typeof import('#jose') | undefined

/**
 * Loads jose with the first token. It is kept, because each `import` of a loaded module costs as much as the checks of
 * a token's claims.
 *
 * @throws {Rejection} `keys_unavailable`
 */
export async function loadJose(): Promise<typeof import('#jose')> {
  try {
    jose ??= await import('#jose')
    return jose
  } catch (thrown) {
    const message = 'jose, which verifies the tokens of the issuer, could not be loaded: see cause'
    throw tokenRejection('keys_unavailable', message, undefined, thrown)
  }
}

interface RsaJwk {
  readonly kty: 'RSA'
  readonly n: string
  readonly e: string
  readonly kid?: string
}

/** RFC 7518, section 3.3. */
const minModulusBits = 2048

/** Of one set. More than any issuer has, and few enough to try each with one token. */
const maxKeys = 256

/** A public key of an issuer. */
export class IssuerKey {
  readonly kid: string | undefined
  /** Whether the modulus is shorter than 2048 bits. */
  readonly isWeak: boolean
  /** Differs for every other key, also for one with the same `kid`. */
  readonly identity: string
  readonly #jwk: RsaJwk
  #imported: Promise<CryptoKey> | undefined

  constructor(jwk: RsaJwk, modulusBits: number) {
    const { kid, n, e } = jwk
    this.kid = kid
    this.isWeak = modulusBits < minModulusBits
    this.identity = JSON.stringify([kid, n, e])
    this.#jwk = { kty: 'RSA', n, e }
  }

  /** Whether it is the key of a JWK, under the same `kid`. */
  matches({ kid, n, e }: RsaJwk): boolean {
    return this.kid === kid && this.#jwk.n === n && this.#jwk.e === e
  }

  /** Returns the key as Web Crypto accepts it. It is imported once. */
  imported({ importJWK }: typeof import('#jose')): Promise<CryptoKey> {
    this.#imported ??= importJWK(this.#jwk, signingAlgorithm) as Promise<CryptoKey>
    return this.#imported
  }
}

/** Members of private and symmetric keys. An issuer that publishes them has lost the key. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Returns the first 256 keys of a set that can verify RS256 tokens. All other entries are skipped.
 *
 * @param remembered keys of earlier sets by modulus. Keys that are in it are reused, and the others are added
 */
export function usableKeys(entries: readonly unknown[], remembered?: LruMap<string, IssuerKey>): IssuerKey[] {
  const keys: IssuerKey[] = []
  for (const entry of entries) {
    if (keys.length === maxKeys) break
    if (!isSigningJwk(entry)) continue
    // By modulus, because a kid is chosen by the issuer and may be used for another key later.
    const known = remembered?.get(entry.n)
    if (known?.matches(entry)) {
      keys.push(known)
      continue
    }
    const bits = modulusBits(entry.n)
    if (bits === undefined) continue
    const key = new IssuerKey(entry, bits)
    remembered?.set(entry.n, key)
    keys.push(key)
  }
  return keys
}

function isSigningJwk(entry: unknown): entry is RsaJwk {
  if (typeof entry !== 'object' || entry === null) return false
  const { kty, n, e, kid, alg, use, key_ops: operations } = entry as Record<string, unknown>
  return (
    kty === 'RSA' &&
    typeof n === 'string' &&
    typeof e === 'string' &&
    (kid === undefined || typeof kid === 'string') &&
    (alg === undefined || alg === signingAlgorithm) &&
    (use === undefined || use === 'sig') &&
    (operations === undefined || (Array.isArray(operations) && operations.includes('verify'))) &&
    !secretMembers.some((member) => Object.hasOwn(entry, member))
  )
}

/** Returns the length of the modulus without leading zeros, or `undefined` if it is not a number. */
function modulusBits(n: string): number | undefined {
  if (!isBase64url(n)) return undefined
  const bytes = fromBase64url(n)
  const first = bytes.findIndex((byte) => byte !== 0)
  return first === -1 ? undefined : (bytes.length - first) * 8 - (Math.clz32(bytes[first] as number) - 24)
}

/** Provides the keys of an issuer. */
export interface KeyProvider {
  /**
   * Returns the keys that may have signed a token.
   *
   * @param kid the token's `kid`. Without one, the set must contain exactly one key
   * @throws {Rejection} `keys_unavailable`, `key_not_found` or `weak_key`
   */
  candidates(kid: string | undefined): Promise<readonly IssuerKey[]>
  /**
   * Fetches the set again after its keys did not verify a token, if the rate limit allows it.
   *
   * @returns whether the set was fetched
   */
  refetch(): Promise<boolean>
}

const maxRememberedKeys = 256
/**
 * The keys of key sets that were passed lately, by modulus. Importing a key costs more than verifying a token with
 * it, so a set that is passed again, as a new object, is not imported again.
 */
const rememberedKeys = /* @__PURE__ */ new LruMap<string, IssuerKey>(maxRememberedKeys)

/** Provides the keys of a set that the caller passed. */
export function fixedKeys(entries: readonly unknown[]): KeyProvider {
  const keys = usableKeys(entries, rememberedKeys)
  return { candidates: async (kid) => selectKeys(keys, kid), refetch: async () => false }
}

/**
 * Returns the keys that have the token's `kid`. If the token or the key has none, only a set of one key is
 * unambiguous. Weak keys are returned only if there are no others.
 */
function matchingKeys(keys: readonly IssuerKey[], kid: string | undefined): readonly IssuerKey[] {
  // Several keys may have one kid while an issuer replaces a key. Each is tried.
  const named = kid === undefined ? [] : keys.filter((key) => key.kid === kid)
  if (named.length > 0) return named
  const strong = keys.filter((key) => !key.isWeak)
  const [only, ...others] = strong.length > 0 ? strong : keys
  const isUnambiguous = only !== undefined && others.length === 0
  return isUnambiguous && (kid === undefined || only.kid === undefined) ? [only] : []
}

/** @throws {Rejection} `key_not_found` or `weak_key` */
function selectKeys(keys: readonly IssuerKey[], kid: string | undefined): readonly IssuerKey[] {
  const matching = matchingKeys(keys, kid)
  if (matching.length === 0) {
    const message =
      kid === undefined
        ? 'the token has no kid, and the key set does not have exactly one key'
        : "the issuer's key set has no key with the kid of the token: check that the token is from this service"
    throw tokenRejection('key_not_found', message, 'kid')
  }
  const strong = matching.filter((key) => !key.isWeak)
  if (strong.length === 0) {
    throw tokenRejection('weak_key', 'the key is shorter than 2048 bits', 'kid')
  }
  return strong
}

/** How a key set is fetched and cached. */
export interface JwksCacheOptions {
  /** How long a set is used before it is fetched again, in milliseconds. */
  readonly cacheMs: number
  /** How much longer the keys stay in use if the endpoint fails, in milliseconds. */
  readonly maxStaleMs: number
  /** How long a fetch takes at most, in milliseconds. */
  readonly timeoutMs: number
  readonly timing: Pick<Timing, 'now' | 'timer'>
  /** Fetches the `keys` of the set. */
  readonly fetch: () => Promise<readonly unknown[]>
}

/** The keys behind an endpoint: cached, fetched by one request at a time, and refetched at a limited rate. */
export class JwksCache implements KeyProvider {
  readonly #options: JwksCacheOptions
  readonly #rateLimiter: JwksRateLimiter
  #keys: readonly IssuerKey[] = []
  #fetchedAt = Number.NEGATIVE_INFINITY
  readonly #fetching: SharedWork<void>
  /** The number of fetches so far. */
  #fetches = 0
  /** What the last fetch failed with, if it failed. */
  #failure: unknown

  constructor(options: JwksCacheOptions) {
    this.#options = options
    this.#rateLimiter = new JwksRateLimiter(options.timing.now)
    this.#fetching = new SharedWork(options.timing)
  }

  async candidates(kid: string | undefined): Promise<readonly IssuerKey[]> {
    const isNewest = this.#ageMs >= this.#options.cacheMs && (await this.#replaceExpired())
    if (matchingKeys(this.#keys, kid).length === 0) {
      if (!isNewest) await this.refetch()
      if (this.#failure !== undefined && matchingKeys(this.#keys, kid).length === 0) throw this.#unavailable()
    }
    return selectKeys(this.#keys, kid)
  }

  async refetch(): Promise<boolean> {
    while (this.#fetching.isPending) if (await this.#fetchEnds()) return true
    if (!this.#rateLimiter.tryTake()) return false
    const before = new Set(this.#keys.map(({ identity }) => identity))
    this.#startFetch()
    await this.#fetchEnds()
    if (this.#keys.some(({ identity }) => !before.has(identity))) this.#rateLimiter.refund()
    return true
  }

  get #ageMs(): number {
    return this.#options.timing.now() - this.#fetchedAt
  }

  /**
   * Fetches a set that has expired, unless another call is fetching it or the limit is reached.
   *
   * @returns whether it was fetched for this call, so that another fetch would find nothing newer
   * @throws {Rejection} `keys_unavailable`
   */
  async #replaceExpired(): Promise<boolean> {
    const { cacheMs, maxStaleMs } = this.#options
    for (;;) {
      const wasFailing = this.#failure !== undefined
      // The limit holds for an endpoint that fails. The regular fetch of one that works is always allowed.
      const starts = !this.#fetching.isPending && (this.#rateLimiter.tryTake() || !wasFailing)
      if (starts) this.#startFetch()
      // While the endpoint fails, keys that may still be used are used at once, without waiting for it again.
      const waits = !wasFailing || this.#ageMs >= cacheMs + maxStaleMs
      const isLost = waits && this.#fetching.isPending && !(await this.#fetchEnds())
      if (isLost && !starts) continue
      if (this.#failure !== undefined && this.#ageMs >= cacheMs + maxStaleMs) throw this.#unavailable()
      return starts && waits
    }
  }

  #unavailable(): Rejection {
    const message = "the issuer's keys could not be fetched: see cause, then try again"
    return tokenRejection('keys_unavailable', message, undefined, this.#failure)
  }

  #startFetch(): void {
    this.#fetching.start(this.#fetch(++this.#fetches), this.#options.timeoutMs)
  }

  /** Waits for the pending fetch. @returns false if it is lost */
  async #fetchEnds(): Promise<boolean> {
    const { timeoutMs: limitMs } = this.#options
    const fetches = this.#fetches
    if (await this.#fetching.settled()) return true
    if (fetches === this.#fetches) this.#failure = new TimeoutError({ operation: readKeys.operation, limitMs })
    return false
  }

  async #fetch(fetches: number): Promise<void> {
    try {
      const keys = usableKeys(await this.#options.fetch())
      // A newer fetch may have replaced one that was lost.
      if (fetches !== this.#fetches) return
      this.#keys = keys
      this.#fetchedAt = this.#options.timing.now()
      this.#failure = undefined
    } catch (failure) {
      if (fetches === this.#fetches) this.#failure = failure
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
