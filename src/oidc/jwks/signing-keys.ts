import type { CryptoKey } from 'jose'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url } from '../../runtime/bytes.ts'
import { LruMap } from '../lru-map.ts'

/**
 * Loads jose with the first token.
 *
 * @throws {TokenValidationError} `keys_unavailable`
 */
export async function loadJose(): Promise<typeof import('jose')> {
  try {
    return await import('jose')
  } catch (thrown) {
    const message = 'jose, which verifies the tokens of the issuer, could not be loaded: see cause'
    throw new TokenValidationError({ reason: 'keys_unavailable', message, cause: thrown })
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

/** A public key of an issuer. */
export class SigningKey {
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
  imported({ importJWK }: typeof import('jose')): Promise<CryptoKey> {
    this.#imported ??= importJWK(this.#jwk, signingAlgorithm) as Promise<CryptoKey>
    return this.#imported
  }
}

/** Members of private and symmetric keys. An issuer that publishes them has lost the key. */
const secretMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/**
 * Returns the keys of a set that can verify RS256 tokens. All other entries are skipped.
 *
 * @param remembered keys of earlier sets by modulus. Keys that are in it are reused, and the others are added
 */
export function usableKeys(
  entries: readonly unknown[],
  remembered?: LruMap<string, SigningKey>,
): SigningKey[] {
  const keys: SigningKey[] = []
  for (const entry of entries) {
    if (!isSigningJwk(entry)) continue
    const known = remembered?.get(entry.n)
    if (known?.matches(entry)) {
      keys.push(known)
      continue
    }
    const bits = modulusBits(entry.n)
    if (bits === undefined) continue
    const key = new SigningKey(entry, bits)
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
   * @throws {TokenValidationError} `keys_unavailable`, `key_not_found` or `weak_key`
   */
  candidates(kid: string | undefined): Promise<readonly SigningKey[]>
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
const rememberedKeys = /* @__PURE__ */ new LruMap<string, SigningKey>(maxRememberedKeys)

/** Provides the keys of a set that the caller passed. */
export function fixedKeys(entries: readonly unknown[]): KeyProvider {
  const keys = usableKeys(entries, rememberedKeys)
  return { candidates: async (kid) => selectKeys(keys, kid), refetch: async () => false }
}

/**
 * Returns the keys that have the token's `kid`. If the token or the key has none, only a set of one key is
 * unambiguous. Weak keys are returned only if there are no others.
 */
export function matchingKeys(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  const named = kid === undefined ? [] : keys.filter((key) => key.kid === kid)
  if (named.length > 0) return named
  const strong = keys.filter((key) => !key.isWeak)
  const [only, ...others] = strong.length > 0 ? strong : keys
  const isUnambiguous = only !== undefined && others.length === 0
  return isUnambiguous && (kid === undefined || only.kid === undefined) ? [only] : []
}

/** @throws {TokenValidationError} `key_not_found` or `weak_key` */
export function selectKeys(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  const matching = matchingKeys(keys, kid)
  if (matching.length === 0) {
    const message =
      kid === undefined
        ? 'the token has no kid, and the key set does not have exactly one key'
        : "the issuer's key set has no key with the kid of the token: check that the token is from this service"
    throw new TokenValidationError({ reason: 'key_not_found', message, claim: 'kid' })
  }
  const strong = matching.filter((key) => !key.isWeak)
  if (strong.length === 0) {
    throw new TokenValidationError({
      reason: 'weak_key',
      message: 'the key is shorter than 2048 bits',
      claim: 'kid',
    })
  }
  return strong
}
