import { idempotencyHeader } from '../../contract/service.ts'
import type { AuthHeaders } from '../auth.ts'
import type { RequestBody } from '../body/body.ts'
import type { Call } from '../call.ts'

declare const __SDK_VERSION__: string

type Fields = Readonly<Record<string, string>> | undefined

const ownHeaders = { accept: 'application/json', 'user-agent': `identity-service-sdk/${__SDK_VERSION__}` }

/** The headers of a client's requests. Those that all calls share are built once for each credential. */
export class RequestHeaders {
  readonly #shared: Fields
  #kept: { readonly auth: AuthHeaders; readonly flat: readonly string[] } | undefined

  /** @param shared the caller's headers for every request */
  constructor(shared: Fields) {
    this.#shared = shared
  }

  /** Returns names and values, alternating. A call's headers win over the client's, credentials win over both. */
  of({ headers, authorization, idempotencyKey }: Call, auth: AuthHeaders, body: RequestBody): string[] {
    const isUsual = headers === undefined && authorization === undefined
    const own = authorization === undefined ? undefined : { authorization }
    const first = isUsual ? this.#usual(auth) : flatten(ownHeaders, this.#shared, headers, auth.headers, own)
    const key = idempotencyKey === undefined ? [] : [idempotencyHeader, idempotencyKey]
    return [...first, ...body.headers, ...key]
  }

  #usual(auth: AuthHeaders): readonly string[] {
    if (this.#kept?.auth !== auth)
      this.#kept = { auth, flat: flatten(ownHeaders, this.#shared, auth.headers) }
    return this.#kept.flat
  }
}

/** Names and values, alternating. The last value of a name wins. */
function flatten(...groups: readonly Fields[]): string[] {
  const merged: Record<string, string> = {}
  for (const group of groups)
    for (const [name, value] of Object.entries(group ?? {})) merged[name.toLowerCase()] = value
  return Object.entries(merged).flat()
}
