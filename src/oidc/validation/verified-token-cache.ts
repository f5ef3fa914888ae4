import type { JsonObject } from '../../contract/schema/schema.ts'
import { decodeUtf8, fromBase64url } from '../../runtime/bytes.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import { LruMap } from '../../runtime/lru-map.ts'
import type { KeyProvider } from '../jwks/jwks-cache.ts'
import { type ClaimRules, checkCommonClaims, maxTokenLength, type VerifiedToken, verifyToken } from './verify-token.ts'

/** Enough for the people who use one process at the same time. Each entry takes about 1 KiB. */
const defaultMaxTokens = 4096

/** A token whose signature was verified. */
interface CachedToken {
  readonly kid: string | undefined
  /** Identity of the key that signed it. */
  readonly signedBy: string
  /** As JSON, because the caller may change the claims that it gets. */
  readonly claims: string
}

/**
 * Caches which access tokens have a valid signature. An API receives the same token many times, and verifying the
 * signature costs more than all other checks together. Only that result is cached: each time, the claims are compared
 * with the clock and the rules, and the signing key must still be one of the issuer's. The tokens themselves are not
 * stored.
 */
export class VerifiedTokenCache {
  readonly #tokens: LruMap<string, CachedToken>
  /** Keys the digests of the tokens, so that an entry cannot be matched with a token outside this process. */
  #secret: string | undefined

  constructor(maxTokens = defaultMaxTokens) {
    this.#tokens = new LruMap(maxTokens)
  }

  /**
   * Returns the claims of a token, after its signature, issuer and times were checked.
   *
   * @param types accepted values of `typ`. They must be the same in all calls of one cache
   * @throws {Rejection}
   */
  async verify(token: unknown, keys: KeyProvider, types: readonly string[], rules: ClaimRules): Promise<JsonObject> {
    // Created here and not by the constructor, because Workers allow no random values before the first request.
    this.#secret ??= crypto.randomUUID()
    const isToken = typeof token === 'string' && token.length <= maxTokenLength
    const id = isToken ? await hmacSha256Hex(this.#secret, '', token) : ''
    const cached = this.#tokens.get(id)
    if (cached && (await isStillTrusted(cached, keys))) {
      const claims = JSON.parse(cached.claims)
      // If the token has expired, the check throws, and the entry stays deleted.
      this.#tokens.delete(id)
      checkCommonClaims(claims, rules)
      this.#tokens.set(id, cached)
      return claims
    }
    const verified = await verifyToken(token, keys, types)
    checkCommonClaims(verified.claims, rules)
    this.#tokens.set(id, toCachedToken(token as string, verified))
    return verified.claims
  }
}

const toCachedToken = (token: string, { header, signedBy }: VerifiedToken): CachedToken => ({
  kid: header.kid as string | undefined,
  signedBy,
  // As received, because `JSON.stringify` overflows the stack if claims are nested thousands of levels deep.
  claims: decodeUtf8(fromBase64url(token.split('.')[1] as string)) as string,
})

/** Whether the key that signed the token is still one of the issuer's, as for a new token. */
async function isStillTrusted({ kid, signedBy }: CachedToken, keys: KeyProvider): Promise<boolean> {
  const candidates = await keys.candidates(kid)
  return candidates.some(({ identity }) => identity === signedBy)
}
