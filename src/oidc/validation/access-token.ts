import type { JsonObject } from '../../contract/schema/schema.ts'
import type { Scope } from '../../contract/sign-in/oidc.ts'
import { invalidParam } from '../../errors/call-errors.ts'
import { tokenRejection } from '../../errors/sign-in-errors.ts'
import type { KeyProvider } from '../jwks/jwks-cache.ts'
import type { VerifiedTokenCache } from './verified-token-cache.ts'
import { audiencesOf, type ClaimRules } from './verify-token.ts'

/**
 * Claims of a valid access token. `iss`, `sub` and the times are validated, and all others are returned as received.
 */
export interface AccessTokenClaims {
  /** The issuer. */
  readonly iss: string
  /** The person's id at this issuer. */
  readonly sub: string
  /** When the token expires, in seconds since the epoch. */
  readonly exp: number
  /** When the token was issued, in seconds since the epoch. */
  readonly iat: number
  /** When the token becomes valid, in seconds since the epoch. */
  readonly nbf?: number | undefined
  readonly [claim: string]: unknown
}

/** What one access token is compared with, besides the issuer. */
export interface AccessTokenExpectations {
  /** Scopes that the token must have, all of them: one, or a list. At run time, also a string separated by spaces. */
  readonly scope?: Scope | readonly Scope[] | undefined
  /**
   * The audience that the token must have.
   *
   * @default none: the audience is not checked
   */
  readonly audience?: string | undefined
}

/** `at+jwt` is that of RFC 9068; older services use `JWT`. */
const tokenTypes = ['jwt', 'at+jwt']

/** Claims that bind an id_token to a sign-in. Both kinds of token may have the same `typ`, so these tell them apart. */
const idTokenClaims = ['nonce', 'at_hash']

/** @throws {Rejection | InvalidParamsError} */
export async function checkAccessToken(
  token: unknown,
  { keys, cache }: { readonly keys: KeyProvider; readonly cache: VerifiedTokenCache },
  rules: ClaimRules,
  { scope = [], audience }: AccessTokenExpectations,
): Promise<AccessTokenClaims> {
  const required = requiredScopes(scope)
  const claims = await cache.verify(token, keys, tokenTypes, rules)
  const idTokenClaim = idTokenClaims.find((name) => Object.hasOwn(claims, name))
  if (idTokenClaim !== undefined) {
    const message = `this is an id_token, because it has ${idTokenClaim}: pass the access_token`
    throw tokenRejection('unexpected_type', message, idTokenClaim)
  }
  if (audience !== undefined && !audiencesOf(claims).includes(audience)) {
    throw tokenRejection(
      'audience_mismatch',
      'the token is for another audience: check the audience that you pass',
      'aud',
    )
  }
  const { claim, granted } = grantedScopes(claims)
  if (!required.every((name) => granted.includes(name))) {
    const message = 'the token lacks a required scope: request it when the person signs in'
    throw tokenRejection('missing_scope', message, claim)
  }
  return claims as AccessTokenClaims
}

/** @throws {InvalidParamsError} */
function requiredScopes(scope: unknown): readonly string[] {
  if (typeof scope === 'string') return scopeNames(scope)
  if (Array.isArray(scope) && scope.every((name) => typeof name === 'string')) return scope
  throw invalidParam('oidc.validateAccessToken', 'scope', 'must be a string or a list of strings')
}

/**
 * Returns the scopes of a token, and the claim that contains them. Issuers use `scope` (RFC 9068) or `scp`, as text or
 * as a list. A value of any other type grants nothing.
 */
function grantedScopes({ scope, scp }: JsonObject): {
  readonly claim: string
  readonly granted: readonly unknown[]
} {
  const claim = scope == null && scp != null ? 'scp' : 'scope'
  const value = scope ?? scp
  if (typeof value === 'string') return { claim, granted: scopeNames(value) }
  return { claim, granted: Array.isArray(value) ? value : [] }
}

const scopeNames = (text: string) => text.split(' ').filter((name) => name !== '')
