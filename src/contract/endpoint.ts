import type { Schema } from './schema/schema.ts'

/**
 * What decides whether one logical call may be sent a second time by us.
 *
 * - `safe`: repeating changes nothing (reads, and a removal that the contract calls idempotent).
 * - `with-key`: repeated under the same `Idempotency-Key` with the same bytes.
 * - `when-refused`: repeated only where the failure shows that nothing was done.
 * - `never`: not repeated once a byte was sent, whatever the answer.
 */
export type Replay = 'safe' | 'with-key' | 'when-refused' | 'never'

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One operation of the service as data: what the clients send, the emulator serves and the documentation lists. */
export interface Endpoint<Query = unknown, Body = unknown, Response = unknown> {
  /** The method a caller writes, such as `sessions.create`: named by events, logs and errors. */
  readonly operation: string
  readonly method: Method
  /** Path template; `{name}` stands for one encoded path segment. */
  readonly path: string
  readonly query?: Schema<Query>
  readonly body?: Schema<Body>
  /** Body fields that hold images: sent as files of a multipart form, or as base64 in JSON. */
  readonly images?: readonly string[]
  /** Other spellings of body fields that the service takes, each with the canonical one. */
  readonly aliases?: Readonly<Record<string, string>>
  /** What is left once the envelope is off. */
  readonly response: Schema<Response>
  /** Whether the payload comes in the envelope (contract, section 2.1), bare, or either way. */
  readonly envelope: 'data' | 'none' | 'optional'
  /** The member of `data` that holds the payload; without it `data` is the payload. */
  readonly unwrap?: string
  readonly replay: Replay
  /** Charged per call. */
  readonly billable: boolean
  /** Takes 10 to 60 seconds (contract, section 8): gets the longer default timeout. */
  readonly slow: boolean
  /** A tighter bound on the answer than the client's, in bytes. */
  readonly maxResponseBytes?: number
  /** The answer is refused, whatever the `responseValidation`, unless it fits the schema. */
  readonly strict: boolean
  /** What to call instead of an operation that the service has removed. */
  readonly replacedBy?: string
  /** `unconfirmed`: named by the contract without its shape, or inferred. */
  readonly status: 'documented' | 'unconfirmed'
}

type Defaults = 'envelope' | 'billable' | 'slow' | 'strict' | 'status'

/** Declares an operation; what is left out takes the common case: free, quick, lenient, documented. */
export function endpoint<Query, Body, Response>(
  declaration: Omit<Endpoint<Query, Body, Response>, Defaults> &
    Partial<Pick<Endpoint<Query, Body, Response>, Defaults>>,
): Endpoint<Query, Body, Response> {
  return {
    envelope: 'data',
    billable: false,
    slow: false,
    strict: false,
    status: 'documented',
    ...declaration,
  }
}

/** A request's path, recognised: its declaration, and the encoded segments that stand for ids. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint
  readonly ids: Readonly<Record<string, string>>
}

/** Finds the declaration that a method and a path belong to; a literal segment wins over an id. */
export function findEndpoint(
  endpoints: readonly Endpoint[],
  method: string,
  path: string,
): FoundEndpoint | undefined {
  const matches = endpoints
    .filter((endpoint) => endpoint.method === method)
    .flatMap((endpoint) => {
      const ids = idsIn(endpoint.path, path)
      return ids ? [{ endpoint, ids }] : []
    })
  return matches.sort((a, b) => Object.keys(a.ids).length - Object.keys(b.ids).length)[0]
}

function idsIn(template: string, path: string): Record<string, string> | undefined {
  const names = template.split('/')
  const segments = path.split('/')
  if (names.length !== segments.length) return undefined
  const ids: Record<string, string> = {}
  for (const [i, name] of names.entries()) {
    const segment = segments[i] as string
    if (/^\{.+\}$/.test(name) && segment !== '') ids[name.slice(1, -1)] = segment
    else if (name !== segment) return undefined
  }
  return ids
}
