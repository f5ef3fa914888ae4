import type { JsonObject } from '../../contract/schema/schema.ts'
import { memberIdClaim } from '../../contract/sign-in/oidc.ts'
import { tokenRejection } from '../../errors/sign-in-errors.ts'
import { toBase64url } from '../../runtime/bytes.ts'
import { equalTexts } from '../../runtime/crypto.ts'
import type { KeyProvider } from '../jwks/jwks-cache.ts'
import {
  audiencesOf,
  type ClaimRules,
  checkCommonClaims,
  missingClaim,
  textClaim,
  timeClaim,
  verifyToken,
} from './verify-token.ts'

/** Claims of a valid id_token (contract, sections 4.7 and 5). Other claims are kept. */
export interface IdTokenClaims {
  /** The issuer. */
  readonly iss: string
  /** The person's id at this issuer. It is never reused for another person. */
  readonly sub: string
  /** The audience. This client is in it. */
  readonly aud: string | string[]
  /** When the token expires, in seconds since the epoch. */
  readonly exp: number
  /** When the token was issued, in seconds since the epoch. */
  readonly iat: number
  /** When the token becomes valid, in seconds since the epoch. */
  readonly nbf?: number | undefined
  /** The client that the token was issued to. */
  readonly azp?: string | undefined
  /** The nonce of the sign-in. */
  readonly nonce?: string | undefined
  /** A hash of the access token that was issued together with this token. */
  readonly at_hash?: string | undefined
  /** When the person authenticated, in seconds since the epoch. */
  readonly auth_time?: number | undefined
  /** The person's `member_id` on the roster, if they are a member of the organization. */
  readonly svc_org_member_id?: string | null | undefined
  readonly [claim: string]: unknown
}

/** What one id_token is compared with, besides issuer and client. */
export interface IdTokenExpectations {
  /** The nonce that was sent with the authorization request. The token must have the same one. */
  readonly nonce?: string | undefined
  /** The access token that was issued with the id_token. If the id_token has an `at_hash`, it must match. */
  readonly accessToken?: string | undefined
}

/** @throws {Rejection} */
export async function checkIdToken(
  token: unknown,
  keys: KeyProvider,
  rules: ClaimRules & { readonly clientId: string },
  { nonce, accessToken }: IdTokenExpectations,
): Promise<IdTokenClaims> {
  const { claims } = await verifyToken(token, keys, ['jwt'])
  checkCommonClaims(claims, rules)
  checkIdTokenClaims(claims, rules.clientId)
  if (nonce !== undefined && !isSame(claims.nonce, nonce)) {
    const message =
      'the token is not from this sign-in: its nonce differs. Pass the nonce that createAuthorization returned for this browser'
    throw tokenRejection('nonce_mismatch', message, 'nonce')
  }
  if (accessToken !== undefined && claims.at_hash !== undefined) {
    if (!isSame(claims.at_hash, await hashOf(accessToken))) {
      const message =
        'the access token is not the one that was issued with this id_token: pass the access_token of the same response'
      throw tokenRejection('access_token_mismatch', message, 'at_hash')
    }
  }
  return claims as IdTokenClaims
}

const checkClient = 'check the clientId of the OidcClient, or the audience of validateIdToken'

/** Checks that the token is for this client, and the form of optional claims (OpenID Connect Core, 3.1.3.7). */
function checkIdTokenClaims(claims: JsonObject, clientId: string): void {
  const audiences = audiencesOf(claims)
  if (audiences.length === 0) throw missingClaim('aud')
  if (!audiences.includes(clientId)) {
    throw tokenRejection('audience_mismatch', `the token is for another client: ${checkClient}`, 'aud')
  }
  const party = textClaim(claims, 'azp')
  if (party === undefined ? audiences.length > 1 : party !== clientId) {
    const message = `the token was issued to another client: ${checkClient}`
    throw tokenRejection('authorized_party_mismatch', message, 'azp')
  }
  textClaim(claims, 'nonce')
  textClaim(claims, 'at_hash')
  timeClaim(claims, 'auth_time')
  if (claims[memberIdClaim] !== null) textClaim(claims, memberIdClaim)
}

// A caller without types may have lost the nonce: a value that is not a string matches nothing.
const isSame = (claim: unknown, expected: unknown) =>
  typeof claim === 'string' && typeof expected === 'string' && equalTexts(claim, expected)

/** Returns the `at_hash` of an access token: the left half of its hash (OpenID Connect Core, 3.1.3.6). */
async function hashOf(accessToken: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken)))
  return toBase64url(digest.subarray(0, digest.byteLength / 2))
}
