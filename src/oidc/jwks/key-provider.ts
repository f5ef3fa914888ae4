import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { LruMap } from '../lru-map.ts'
import { type SigningKey, usableKeys } from './signing-keys.ts'

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
