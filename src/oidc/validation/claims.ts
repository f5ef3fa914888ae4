import { memberIdClaim } from '../../contract/sign-in/oidc.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import type { JsonObject } from './compact-token.ts'

/** What a valid id_token says (contract, sections 4.7 and 5). Other claims are kept. */
export interface IdTokenClaims {
  /** Who issued it. */
  readonly iss: string
  /** Names the person at this issuer; never reused for another. */
  readonly sub: string
  /** Whom it is for: this client is among them. */
  readonly aud: string | readonly string[]
  /** Seconds since the epoch. */
  readonly exp: number
  /** When it was issued, in seconds since the epoch. */
  readonly iat: number
  /** Not valid before, in seconds since the epoch. */
  readonly nbf?: number
  /** The client that it was issued to. */
  readonly azp?: string
  /** That of the sign-in. */
  readonly nonce?: string
  /** Binds it to the access token that came along. */
  readonly at_hash?: string
  /** When the person proved who they are, in seconds since the epoch. */
  readonly auth_time?: number
  /** Names the person as a member of an organization: their `member_id` on its roster. */
  readonly svc_org_member_id?: string | null
  readonly [claim: string]: unknown
}

/** What a valid access token says. Its form is not shown: `iss`, `sub` and the times are sure, the rest came as it is. */
export interface AccessTokenClaims {
  /** Who issued it. */
  readonly iss: string
  /** Names the person at this issuer. */
  readonly sub: string
  /** When it ends, in seconds since the epoch. */
  readonly exp: number
  /** When it was issued, in seconds since the epoch. */
  readonly iat: number
  /** Not valid before, in seconds since the epoch. */
  readonly nbf?: number
  readonly [claim: string]: unknown
}

/** What the claims of a token are held against. */
export interface ClaimRules {
  readonly issuers: readonly string[]
  /** Seconds since the epoch. */
  readonly now: number
  readonly toleranceSeconds: number
}

/** The year 5138: a larger number is milliseconds, or nonsense. */
const latestTime = 1e11
const longestSubject = 255

const missing = (claim: string) =>
  new TokenValidationError('missing_claim', `the token has no ${claim}`, { claim })
const malformed = (claim: string) =>
  new TokenValidationError('malformed_claim', `the token's ${claim} is not of its form`, { claim })

function time(claims: JsonObject, claim: string): number | undefined {
  const value = claims[claim]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > latestTime)
    throw malformed(claim)
  return value
}

function requiredTime(claims: JsonObject, claim: string): number {
  const value = time(claims, claim)
  if (value === undefined) throw missing(claim)
  return value
}

function text(claims: JsonObject, claim: string): string | undefined {
  const value = claims[claim]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw malformed(claim)
  return value
}

function requiredText(claims: JsonObject, claim: string): string {
  const value = text(claims, claim)
  if (value === undefined) throw missing(claim)
  return value
}

/** The audiences of a token; none where it names none. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims
  if (aud === undefined) return []
  const list: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (list.length === 0 || !list.every((item) => typeof item === 'string' && item !== ''))
    throw malformed('aud')
  return list as string[]
}

/** What both kinds of token have: who issued it, for whom, and when it holds. */
export function checkCommonClaims(claims: JsonObject, { issuers, now, toleranceSeconds }: ClaimRules): void {
  const issuer = requiredText(claims, 'iss')
  if (!issuers.includes(issuer)) {
    throw new TokenValidationError('issuer_mismatch', 'the token is from another issuer', { claim: 'iss' })
  }
  if (requiredText(claims, 'sub').length > longestSubject) throw malformed('sub')
  if (requiredTime(claims, 'exp') <= now - toleranceSeconds) {
    throw new TokenValidationError('expired', 'the token has expired', { claim: 'exp' })
  }
  if (requiredTime(claims, 'iat') > now + toleranceSeconds) {
    throw new TokenValidationError('issued_in_future', 'the token was issued in the future', { claim: 'iat' })
  }
  if ((time(claims, 'nbf') ?? 0) > now + toleranceSeconds) {
    throw new TokenValidationError('not_yet_valid', 'the token is not valid yet', { claim: 'nbf' })
  }
}

/** What an id_token must say beyond that: it is for this client (OpenID Connect Core, section 3.1.3.7). */
export function checkIdTokenClaims(claims: JsonObject, clientId: string): void {
  const audiences = audiencesOf(claims)
  if (audiences.length === 0) throw missing('aud')
  if (!audiences.includes(clientId)) {
    throw new TokenValidationError('audience_mismatch', 'the token is for another client', { claim: 'aud' })
  }
  const party = text(claims, 'azp')
  if (party === undefined ? audiences.length > 1 : party !== clientId) {
    const message = 'the token was issued to another party'
    throw new TokenValidationError('authorized_party_mismatch', message, { claim: 'azp' })
  }
  text(claims, 'nonce')
  text(claims, 'at_hash')
  time(claims, 'auth_time')
  if (claims[memberIdClaim] !== null) text(claims, memberIdClaim)
}
