import { hmacSha256Hex, randomUUID } from '#platform'
import type { Keys } from '../jwks/jwks-cache.ts'
import { type ClaimRules, checkCommonClaims } from './claims.ts'
import { type JsonObject, maxTokenLength } from './compact-token.ts'
import { type VerifiedToken, verifyToken } from './verify-token.ts'

/** Enough for the people who use a process at a time; each takes about a KiB. */
const mostTokens = 4096

/** A token whose signature held. */
interface CachedToken {
  readonly kid: string | undefined
  /** Identity of the key that signed it. */
  readonly signedBy: string
  /** As JSON: whoever gets the claims may change them. */
  readonly claims: string
}

/**
 * Access tokens that were verified before. An API sees each of them many times, and a signature costs more than all
 * else together. Only that is remembered: what a token claims is held against the clock and the rules each time, and
 * the key that signed it must still be one of the issuer's. The tokens themselves are not kept.
 */
export class VerifiedTokenCache {
  /** Without it nobody can tell from an entry which token it stands for. Workers have no chance before a request. */
  #secret: string | undefined
  readonly #seen = new Map<string, CachedToken>()
  readonly #most: number

  constructor(most = mostTokens) {
    this.#most = most
  }

  /**
   * @param types values of `typ` that the tokens may have: always the same for one of these
   * @returns the claims of a token that is signed, from an issuer of the rules and of the present
   * @throws {TokenValidationError}
   */
  async claimsOf(
    token: unknown,
    keys: Keys,
    types: readonly string[],
    rules: ClaimRules,
  ): Promise<JsonObject> {
    this.#secret ??= randomUUID()
    const isToken = typeof token === 'string' && token.length <= maxTokenLength
    const id = isToken ? await hmacSha256Hex(this.#secret, '', token) : ''
    const seen = this.#seen.get(id)
    if (seen && (await isStillKey(seen, keys))) {
      // Whoever comes again stays longest, and what has expired goes.
      this.#seen.delete(id)
      const claims = JSON.parse(seen.claims)
      checkCommonClaims(claims, rules)
      this.#seen.set(id, seen)
      return claims
    }
    const verified = await verifyToken(token, keys, types)
    checkCommonClaims(verified.claims, rules)
    this.#remember(id, verified)
    return verified.claims
  }

  #remember(id: string, { header, claims, signedBy }: VerifiedToken): void {
    const [oldest] = this.#seen.keys()
    if (this.#seen.size >= this.#most && oldest !== undefined) this.#seen.delete(oldest)
    this.#seen.set(id, { kid: header.kid as string | undefined, signedBy, claims: JSON.stringify(claims) })
  }
}

/** The issuer's keys are looked at as they are for a new token: one that was withdrawn vouches for nothing. */
async function isStillKey({ kid, signedBy }: CachedToken, keys: Keys): Promise<boolean> {
  const candidates = await keys.candidates(kid)
  return candidates.some(({ identity }) => identity === signedBy)
}
