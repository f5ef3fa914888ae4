import type { JsonObject } from '../../contract/schema/json-object.ts'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'

/** What the claims of every token are compared with. */
export interface ClaimRules {
  /** The accepted issuers. */
  readonly issuers: readonly string[]
  /** Seconds since the epoch. */
  readonly now: number
  readonly toleranceSeconds: number
}

/** The year 5138. A larger number is in milliseconds, or an error. */
const maxTime = 1e11
const maxSubjectLength = 255

export const missingClaim = (claim: string) =>
  new TokenValidationError({ reason: 'missing_claim', message: `the token has no ${claim}`, claim })
const malformedClaim = (claim: string) =>
  new TokenValidationError({
    reason: 'malformed_claim',
    message: `the token's ${claim} has the wrong type or form`,
    claim,
  })

/** Returns a claim that is a time in seconds since the epoch, or `undefined` if the token does not have it. */
export function timeClaim(claims: JsonObject, claim: string): number | undefined {
  const value = claims[claim]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > maxTime)
    throw malformedClaim(claim)
  return value
}

function requiredTime(claims: JsonObject, claim: string): number {
  const value = timeClaim(claims, claim)
  if (value === undefined) throw missingClaim(claim)
  return value
}

/** Returns a claim that is a non-empty string, or `undefined` if the token does not have it. */
export function textClaim(claims: JsonObject, claim: string): string | undefined {
  const value = claims[claim]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') throw malformedClaim(claim)
  return value
}

function requiredText(claims: JsonObject, claim: string): string {
  const value = textClaim(claims, claim)
  if (value === undefined) throw missingClaim(claim)
  return value
}

/** Returns the audiences of a token. The list is empty if the token has no `aud`. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims
  if (aud === undefined) return []
  const list: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (list.length === 0 || !list.every((item) => typeof item === 'string' && item !== ''))
    throw malformedClaim('aud')
  return list as string[]
}

/** Checks the claims that both kinds of token have: issuer, subject and times. */
export function checkCommonClaims(claims: JsonObject, { issuers, now, toleranceSeconds }: ClaimRules): void {
  const issuer = requiredText(claims, 'iss')
  if (!issuers.includes(issuer)) {
    throw new TokenValidationError({
      reason: 'issuer_mismatch',
      message:
        'the token is from another issuer: check the option issuer (the default of an OidcClient is its baseUrl)',
      claim: 'iss',
    })
  }
  if (requiredText(claims, 'sub').length > maxSubjectLength) throw malformedClaim('sub')
  if (requiredTime(claims, 'exp') <= now - toleranceSeconds) {
    const message = 'the token has expired: refresh the tokens, or have the person sign in again'
    throw new TokenValidationError({ reason: 'expired', message, claim: 'exp' })
  }
  if (requiredTime(claims, 'iat') > now + toleranceSeconds) {
    const message = "the token's iat is in the future: check the clock of this machine"
    throw new TokenValidationError({ reason: 'issued_in_future', message, claim: 'iat' })
  }
  if ((timeClaim(claims, 'nbf') ?? 0) > now + toleranceSeconds) {
    throw new TokenValidationError({
      reason: 'not_yet_valid',
      message: 'the token is not valid yet: check the clock of this machine',
      claim: 'nbf',
    })
  }
}
