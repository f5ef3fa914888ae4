import { equalBytes } from '#platform'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { toBase64url } from '../../runtime/base64url.ts'
import type { Keys } from '../jwks/jwks-cache.ts'
import { type ClaimRules, checkCommonClaims, checkIdTokenClaims, type IdTokenClaims } from './claims.ts'
import { verifyToken } from './verify-token.ts'

/** What one id_token is held against, beside the issuer and the client. */
export interface IdTokenExpectations {
  /** The nonce that went with the authorization: the token must hold the same one. */
  readonly nonce?: string | undefined
  /** The access token that came along: where the id_token has an `at_hash`, it must fit. */
  readonly accessToken?: string | undefined
}

/** @throws {TokenValidationError} */
export async function checkIdToken(
  token: unknown,
  keys: Keys,
  rules: ClaimRules & { readonly clientId: string },
  { nonce, accessToken }: IdTokenExpectations,
): Promise<IdTokenClaims> {
  const { claims } = await verifyToken(token, keys, ['jwt'])
  checkCommonClaims(claims, rules)
  checkIdTokenClaims(claims, rules.clientId)
  if (nonce !== undefined && !isSame(claims.nonce, nonce)) {
    const message = 'the token is not the answer to this sign-in: its nonce differs'
    throw new TokenValidationError('nonce_mismatch', message, { claim: 'nonce' })
  }
  if (accessToken !== undefined && claims.at_hash !== undefined) {
    if (!isSame(claims.at_hash, await hashOf(accessToken))) {
      const message = 'the access token is not the one that came with this id_token'
      throw new TokenValidationError('access_token_mismatch', message, { claim: 'at_hash' })
    }
  }
  return claims as IdTokenClaims
}

const encoder = new TextEncoder()

// A nonce that was lost on the way is equal to nothing.
const isSame = (claim: unknown, expected: unknown) =>
  typeof claim === 'string' &&
  typeof expected === 'string' &&
  equalBytes(encoder.encode(claim), encoder.encode(expected))

/** OpenID Connect Core, section 3.1.3.6: the left half of the hash. */
async function hashOf(accessToken: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(accessToken)))
  return toBase64url(digest.subarray(0, digest.byteLength / 2))
}
