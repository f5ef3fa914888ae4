import { badParam } from '../errors/call-errors.ts'
import { isHeaderValue } from './params/check-options.ts'

/** The headers that authenticate the client in one attempt. */
export interface AuthHeaders {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The credentials. The first one is also the key of the boundaries of multipart bodies. */
  readonly secrets: readonly string[]
}

/** Returns the headers of an operation. Called before each attempt, so that keys can rotate. */
export type AuthProvider = (operation: string) => AuthHeaders | Promise<AuthHeaders>

/**
 * Returns the `Authorization` header for an access token.
 *
 * @throws {InvalidParamsError} the token cannot be sent in a header
 */
export function bearer(accessToken: unknown, operation: string): string {
  if (typeof accessToken === 'string' && isHeaderValue(accessToken)) return `Bearer ${accessToken}`
  throw badParam(operation, 'accessToken', 'must be a string that is valid in a header')
}

/** Why an access token is rejected by a client that sends its own credentials. */
export const nextToCredentials =
  "must not be sent next to the client's own credentials: to send an access token, call oidc.request"

/** The header of an access token, as a path of params and options: `undefined` if there is none. */
export function bearerHeader(headers: Readonly<Record<string, string>> = {}): string | undefined {
  return Object.keys(headers).find(
    (name) => name.toLowerCase() === 'authorization' && /^\s*bearer\b/i.test(headers[name] ?? ''),
  )
}
