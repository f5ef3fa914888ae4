import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import type { Keys } from '../jwks/jwks-cache.ts'
import { type AccessTokenClaims, audiencesOf, type ClaimRules } from './claims.ts'
import type { VerifiedTokenCache } from './verified-token-cache.ts'

/** What one access token is held against, beside the issuer. */
export interface AccessTokenExpectations {
  /** Scopes that it must have, all of them. */
  readonly scope?: string | readonly string[] | undefined
  /** Who it must be for. Without this its audience is not looked at: the contract does not show it. */
  readonly audience?: string | undefined
}

/** RFC 9068 and before. */
const tokenTypes = ['jwt', 'at+jwt']

/** @throws {TokenValidationError} */
export async function checkAccessToken(
  token: unknown,
  { keys, seen }: { readonly keys: Keys; readonly seen: VerifiedTokenCache },
  rules: ClaimRules,
  { scope = [], audience }: AccessTokenExpectations,
): Promise<AccessTokenClaims> {
  const claims = await seen.claimsOf(token, keys, tokenTypes, rules)
  if (audience !== undefined && !audiencesOf(claims).includes(audience)) {
    throw new TokenValidationError('audience_mismatch', 'the token is for another audience', { claim: 'aud' })
  }
  const granted = typeof claims.scope === 'string' ? claims.scope.split(' ') : []
  const wanted = typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : scope
  if (!wanted.every((name) => granted.includes(name))) {
    throw new TokenValidationError('missing_scope', 'the token lacks a scope', { claim: 'scope' })
  }
  return claims as AccessTokenClaims
}
