import { idempotencyHeader } from '../contract/service.ts'
import type { RequestBody } from './body/body.ts'
import type { Call } from './call.ts'
import type { AuthHeaders } from './credentials.ts'

declare const __SDK_VERSION__: string

type Fields = Readonly<Record<string, string>> | undefined

const ownHeaders = { accept: 'application/json', 'user-agent': `identity-service-sdk/${__SDK_VERSION__}` }

/** Names and values, one after the other; of one name the last value counts. */
function flatten(...groups: readonly Fields[]): string[] {
  const merged: Record<string, string> = {}
  for (const group of groups) {
    for (const [name, value] of Object.entries(group ?? {})) merged[name.toLowerCase()] = value
  }
  return Object.entries(merged).flat()
}

/** The headers of a client's requests. What every call has in common is put together once a credential. */
export class RequestHeaders {
  readonly #shared: Fields
  #kept: { readonly grant: AuthHeaders; readonly flat: readonly string[] } | undefined

  /** @param shared what the caller wants sent with every request */
  constructor(shared: Fields) {
    this.#shared = shared
  }

  /** Names and values, one after the other. Those of the call win over the client's, credentials over both. */
  of(call: Call, grant: AuthHeaders, body: RequestBody): readonly string[] {
    const { idempotencyKey } = call
    const key = idempotencyKey === undefined ? [] : [idempotencyHeader, idempotencyKey]
    return [...this.#beforeBody(call, grant), ...body.headers, ...key]
  }

  #beforeBody({ options, authorization }: Call, grant: AuthHeaders): readonly string[] {
    if (options.headers !== undefined || authorization !== undefined) {
      return flatten(ownHeaders, this.#shared, options.headers, grant.headers, authorization)
    }
    if (this.#kept?.grant !== grant) {
      this.#kept = { grant, flat: flatten(ownHeaders, this.#shared, grant.headers) }
    }
    return this.#kept.flat
  }
}
