import { idempotencyHeader } from '../../contract/service.ts'
import { invalidParam } from '../../errors/call-errors.ts'
import type { RequestBody } from '../body/body.ts'
import { isHeaderValue } from '../params/params.ts'
import type { Call } from './call.ts'

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
  throw invalidParam(operation, 'accessToken', 'must be a string that is valid in a header')
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

declare const __SDK_VERSION__: string

type HeaderGroup = Readonly<Record<string, string>> | undefined

const ownHeaders = { accept: 'application/json', 'user-agent': `identity-service-sdk/${__SDK_VERSION__}` }

/** The headers of a client's requests. Those that all calls share are built once for each credential. */
export class RequestHeaders {
  readonly #shared: HeaderGroup
  #kept: { readonly auth: AuthHeaders; readonly flat: readonly string[] } | undefined

  /** @param shared the caller's headers for every request */
  constructor(shared: HeaderGroup) {
    this.#shared = shared
  }

  /**
   * Returns names and values, alternating. A call's headers win over the client's, credentials win over both.
   *
   * @param observed those of instrumentations, over which all others win
   */
  of(
    { headers, authorization, idempotencyKey }: Call,
    auth: AuthHeaders,
    body: RequestBody,
    observed: HeaderGroup,
  ): string[] {
    const isUsual = headers === undefined && authorization === undefined
    const own = authorization === undefined ? undefined : { authorization }
    const first = isUsual ? this.#usual(auth) : flatten(ownHeaders, this.#shared, headers, auth.headers, own)
    const key = idempotencyKey === undefined ? [] : [idempotencyHeader, idempotencyKey]
    const all = [...first, ...body.headers, ...key]
    for (const [field, value] of Object.entries(observed ?? {})) {
      const name = field.toLowerCase()
      if (!all.includes(name)) all.push(name, value)
    }
    return all
  }

  #usual(auth: AuthHeaders): readonly string[] {
    if (this.#kept?.auth !== auth) this.#kept = { auth, flat: flatten(ownHeaders, this.#shared, auth.headers) }
    return this.#kept.flat
  }
}

/** Names and values, alternating. The last value of a name wins. */
function flatten(...groups: readonly HeaderGroup[]): string[] {
  const merged: Record<string, string> = {}
  for (const group of groups)
    for (const [name, value] of Object.entries(group ?? {})) merged[name.toLowerCase()] = value
  return Object.entries(merged).flat()
}
