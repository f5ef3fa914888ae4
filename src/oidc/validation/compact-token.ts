import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url } from '../../runtime/base64url.ts'
import { decodeUtf8, encodeUtf8 } from '../../runtime/bytes.ts'
import { kindOf } from '../../runtime/kind-of.ts'
import { countMembers } from './duplicate-members.ts'

/** Longer tokens are rejected before they are parsed. */
export const maxTokenLength = 64 * 1024

export type JsonObject = Readonly<Record<string, unknown>>

/** The parts of a token. Nothing in them has been verified. */
export interface CompactToken {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signature: Uint8Array<ArrayBuffer>
  /** What the signature is made of: header and claims as they were sent. */
  readonly signedBytes: Uint8Array<ArrayBuffer>
}

/**
 * Parses a compact JWS strictly: no padding, no characters outside base64url, no duplicate members.
 *
 * @throws {TokenValidationError} `malformed`, `too_large`, `encrypted` or `duplicate_member`
 */
export function parseCompactToken(token: unknown): CompactToken {
  if (typeof token !== 'string') throw malformed(`the token must be a string, not ${kindOf(token)}`)
  if (token.length > maxTokenLength) {
    throw new TokenValidationError({
      reason: 'too_large',
      message: `the token is longer than ${maxTokenLength} characters`,
    })
  }
  const parts = token.split('.', 6)
  if (parts.length === 5)
    throw new TokenValidationError({
      reason: 'encrypted',
      message: 'the token is encrypted, and JWE is not accepted: check that it is from this service',
    })
  if (parts.length !== 3)
    throw malformed(
      'the token does not have three parts separated by dots, as an id_token or an access token has. A refresh token or an opaque access token cannot be validated here',
    )
  // `alg: none` has an empty signature. It is rejected because of its header, which is the more helpful reason.
  if (!parts.every((part, i) => isBase64url(part) && (part !== '' || i === 2)))
    throw malformed(
      'a part of the token is not base64url without padding: pass the token exactly as it was received',
    )
  const [header, claims, signature] = parts as [string, string, string]
  return {
    header: parsePart(header, 'header'),
    claims: parsePart(claims, 'payload'),
    signature: fromBase64url(signature),
    signedBytes: encodeUtf8(`${header}.${claims}`),
  }
}

function parsePart(part: string, what: string): JsonObject {
  const text = decodeUtf8(fromBase64url(part))
  let parsed: unknown
  try {
    parsed = text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The parser's own error quotes the token.
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw malformed(`the ${what} of the token is not a JSON object`)
  }
  // It would replace the prototype of an object that the claims are assigned to.
  if (Object.hasOwn(parsed, '__proto__')) throw malformed(`the ${what} of the token has a member __proto__`)
  if (countMembers(text as string) !== Object.keys(parsed).length) {
    throw new TokenValidationError({
      reason: 'duplicate_member',
      message: `the ${what} of the token has duplicate members`,
    })
  }
  return parsed as JsonObject
}

const malformed = (message: string) => new TokenValidationError({ reason: 'malformed', message })
