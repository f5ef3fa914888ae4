import { isJsonObject, type JsonObject } from '../../contract/schema/schema.ts'
import { signingAlgorithm } from '../../contract/sign-in/oidc.ts'
import { tokenRejection } from '../../errors/sign-in-errors.ts'
import { kindOf } from '../../options/rules.ts'
import { decodeUtf8, fromBase64url, hasProtoMember, isBase64url } from '../../runtime/bytes.ts'
import { type IssuerKey, type KeyProvider, loadJose } from '../jwks/jwks-cache.ts'

/** Header members with which a token could choose how, or with which key, it is verified. */
const forbiddenMembers = ['crit', 'jwk', 'jku', 'x5u', 'x5c', 'b64', 'zip']

export interface VerifiedToken {
  readonly header: JsonObject
  readonly claims: JsonObject
  /** Identity of the key that signed the token. */
  readonly signedBy: string
}

/**
 * Verifies the signature of a token. Its claims are not checked.
 *
 * @param types accepted values of `typ`, in lower case. A token without `typ` is accepted too
 * @throws {Rejection}
 */
export async function verifyToken(token: unknown, keys: KeyProvider, types: readonly string[]): Promise<VerifiedToken> {
  const { text, header, claims } = parseToken(token)
  const kid = checkHeader(header, types)
  const findSigner = async () => signerOf(text, await keys.candidates(kid))
  // The issuer may have replaced a key under the same kid, or a key without a kid.
  const signer = (await findSigner()) ?? ((await keys.refetch()) ? await findSigner() : undefined)
  if (signer) return { header, claims, signedBy: signer.identity }
  throw tokenRejection(
    'signature_mismatch',
    "no key of the issuer matches the token's signature: check that the token is from this service and unchanged",
  )
}

/** @returns the token's `kid`, if it has one */
function checkHeader(header: JsonObject, types: readonly string[]): string | undefined {
  // First, so that a token cannot choose another algorithm for what follows.
  const { alg, typ, kid } = header
  if (alg !== signingAlgorithm) {
    const message = `the token is not signed with ${signingAlgorithm}`
    throw tokenRejection('unsupported_algorithm', message, 'alg')
  }
  const forbidden = forbiddenMembers.find((member) => Object.hasOwn(header, member))
  if (forbidden !== undefined) {
    const message = `the token's header has ${forbidden}, which is not accepted`
    throw tokenRejection('forbidden_header', message, forbidden)
  }
  if (typ !== undefined && !(typeof typ === 'string' && types.includes(mediaType(typ)))) {
    const message = 'this is another kind of token, because its typ differs: check which token you pass'
    throw tokenRejection('unexpected_type', message, 'typ')
  }
  if (kid !== undefined && typeof kid !== 'string') {
    throw tokenRejection('malformed_claim', "the token's kid is not a string", 'kid')
  }
  return kid
}

/** RFC 7515, section 4.1.9: `application/` may be omitted, and case is ignored. */
const mediaType = (typ: string) => typ.toLowerCase().replace(/^application\//, '')

/** Returns the key that signed a token. */
async function signerOf(token: string, candidates: readonly IssuerKey[]): Promise<IssuerKey | undefined> {
  const jose = await loadJose()
  for (const candidate of candidates) {
    try {
      await jose.compactVerify(token, await candidate.imported(jose), { algorithms: [signingAlgorithm] })
      return candidate
    } catch {
      // It is not the key of the token, or one that the platform does not support. The next candidate may match.
    }
  }
  return undefined
}

/** Longer tokens are rejected before they are parsed. */
export const maxTokenLength = 65_536

/** A token whose form is valid. Nothing in it has been verified. */
interface ParsedToken {
  readonly text: string
  readonly header: JsonObject
  readonly claims: JsonObject
}

/**
 * Parses a compact JWS more strictly than jose: no padding, no characters outside base64url, no duplicate members.
 *
 * @throws {Rejection} `malformed`, `too_large`, `encrypted` or `duplicate_member`
 */
function parseToken(token: unknown): ParsedToken {
  if (typeof token !== 'string') throw malformed(`the token must be a string, not ${kindOf(token)}`)
  if (token.length > maxTokenLength) {
    throw tokenRejection('too_large', `the token is longer than ${maxTokenLength} characters`)
  }
  const parts = token.split('.', 6)
  if (parts.length === 5)
    throw tokenRejection(
      'encrypted',
      'the token is encrypted, and JWE is not accepted: check that it is from this service',
    )
  if (parts.length !== 3)
    throw malformed(
      'the token does not have three parts separated by dots, as an id_token or an access token has. A refresh token or an opaque access token cannot be validated here',
    )
  // `alg: none` has an empty signature. It is rejected because of its header, which is the more helpful reason.
  if (!parts.every((part, i) => isBase64url(part) && (part !== '' || i === 2)))
    throw malformed('a part of the token is not base64url without padding: pass the token exactly as it was received')
  const [header = '', claims = ''] = parts
  return { text: token, header: parsePart(header, 'header'), claims: parsePart(claims, 'payload') }
}

function parsePart(part: string, what: string): JsonObject {
  const text = decodeUtf8(fromBase64url(part))
  let parsed: unknown
  let hasProto = false
  try {
    parsed = text === undefined ? undefined : JSON.parse(text)
    hasProto = text !== undefined && hasProtoMember(text)
  } catch {
    // The parser's own error quotes the token.
  }
  if (!isJsonObject(parsed)) throw malformed(`the ${what} of the token is not a JSON object`)
  // It would replace the prototype of an object that the claims, or a part of them, are assigned to.
  if (hasProto) throw malformed(`the ${what} of the token has a member __proto__`)
  if (countMembers(text as string) !== Object.keys(parsed).length) {
    throw tokenRejection('duplicate_member', `the ${what} of the token has duplicate members`)
  }
  return parsed
}

const malformed = (message: string) => tokenRejection('malformed', message)

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * Counts the members at the top level of a JSON object's text. `JSON.parse` keeps only the last of several members with
 * one name, also if the name is escaped differently. So if this count is higher than the number of parsed names, the
 * text has duplicates.
 *
 * @param text the text of a JSON object. It must be valid, because it is not checked again
 */
export function countMembers(text: string): number {
  let commas = 0
  let depth = 0
  let empty = true
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      empty = false
      i = text.indexOf('"', i + 1)
      if (text.charCodeAt(i - 1) === backslash) i = endOfString(text, i)
      // Only those of the outermost object separate its members.
    } else if (code === comma) {
      if (depth === 1) commas++
    } else if (code === openBrace || code === openBracket) depth++
    else if (code === closeBrace || code === closeBracket) depth--
  }
  return empty ? 0 : commas + 1
}

/** Returns the index of the quote that closes a string: this one or, if it is escaped, a later one. */
function endOfString(text: string, first: number): number {
  for (let end = first; ; end = text.indexOf('"', end + 1)) {
    let escapes = end
    while (text.charCodeAt(escapes - 1) === backslash) escapes--
    if ((end - escapes) % 2 === 0) return end
  }
}

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

export const missingClaim = (claim: string) => tokenRejection('missing_claim', `the token has no ${claim}`, claim)
const malformedClaim = (claim: string) =>
  tokenRejection('malformed_claim', `the token's ${claim} has the wrong type or form`, claim)

/** Returns a claim that is a time in seconds since the epoch, or `undefined` if the token does not have it. */
export function timeClaim(claims: JsonObject, claim: string): number | undefined {
  const value = claims[claim]
  if (value === undefined) return undefined
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0 || value > maxTime) throw malformedClaim(claim)
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
  if (list.length === 0 || !list.every((item) => typeof item === 'string' && item !== '')) throw malformedClaim('aud')
  return list as string[]
}

/** Checks the claims that both kinds of token have: issuer, subject and times. */
export function checkCommonClaims(claims: JsonObject, { issuers, now, toleranceSeconds }: ClaimRules): void {
  const issuer = requiredText(claims, 'iss')
  if (!issuers.includes(issuer)) {
    throw tokenRejection(
      'issuer_mismatch',
      'the token is from another issuer: check the option issuer (the default of an OidcClient is its baseUrl)',
      'iss',
    )
  }
  if (requiredText(claims, 'sub').length > maxSubjectLength) throw malformedClaim('sub')
  if (requiredTime(claims, 'exp') <= now - toleranceSeconds) {
    const message =
      'the token has expired: refresh the tokens, or have the person sign in again. If it is new, check the clock of this machine'
    throw tokenRejection('expired', message, 'exp')
  }
  if (requiredTime(claims, 'iat') > now + toleranceSeconds) {
    const message = "the token's iat is in the future: check the clock of this machine"
    throw tokenRejection('issued_in_future', message, 'iat')
  }
  if ((timeClaim(claims, 'nbf') ?? 0) > now + toleranceSeconds) {
    throw tokenRejection('not_yet_valid', 'the token is not valid yet: check the clock of this machine', 'nbf')
  }
}
