import { decodeUtf8 } from '#platform'
import { TokenValidationError } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url } from '../../runtime/base64url.ts'
import { countMembers } from './duplicate-members.ts'

/** Longer tokens are refused unread. */
export const maxTokenLength = 64 * 1024

export type JsonObject = Readonly<Record<string, unknown>>

/** A token taken apart, of which nothing has been believed yet. */
export interface CompactToken {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** Takes a compact JWS apart, by the letter: no padding, no foreign characters, no member twice. */
export function readCompactToken(token: unknown): CompactToken {
  if (typeof token !== 'string') throw malformed('the token is no string')
  if (token.length > maxTokenLength) {
    throw new TokenValidationError('too_large', `the token is longer than ${maxTokenLength} characters`)
  }
  const parts = token.split('.', 6)
  if (parts.length === 5)
    throw new TokenValidationError('encrypted', 'the token is encrypted: JWE is not accepted')
  if (parts.length !== 3) throw malformed('the token does not have three parts')
  // An empty signature is what `alg: none` has: the header is to be told for it.
  if (!parts.every((part, i) => isBase64url(part) && (part !== '' || i === 2)))
    throw malformed('a part of the token is not plain base64url')
  return { header: membersOf(parts[0] as string, 'header'), claims: membersOf(parts[1] as string, 'payload') }
}

function membersOf(part: string, what: string): JsonObject {
  const text = decodeUtf8(fromBase64url(part))
  let parsed: unknown
  try {
    parsed = text === undefined ? undefined : JSON.parse(text)
  } catch {
    // The parser's own error quotes the token.
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw malformed(`the ${what} of the token is no JSON object`)
  }
  // It would change the prototype of what somebody assigns the claims to.
  if (Object.hasOwn(parsed, '__proto__')) throw malformed(`the ${what} of the token names __proto__`)
  if (countMembers(text as string) !== Object.keys(parsed).length) {
    throw new TokenValidationError('duplicate_member', `the ${what} of the token has a member twice`)
  }
  return parsed as JsonObject
}

const malformed = (message: string) => new TokenValidationError('malformed', message)
