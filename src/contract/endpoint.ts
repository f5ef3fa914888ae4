import type { KnownErrorCode } from './errors/catalog.ts'
import type { Schema } from './schema/schema.ts'

/**
 * When the client may send a call again by itself.
 *
 * - `safe`: always, because a second execution changes nothing (reads, and the removal that the contract calls
 *   idempotent).
 * - `with-key`: always, because every attempt carries the same `Idempotency-Key` and the same bytes.
 * - `if-not-executed`: only if the failure shows that the service did nothing.
 * - `never`: not after a byte was sent, with any response.
 */
export type Replay = 'safe' | 'with-key' | 'if-not-executed' | 'never'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * One operation of the service, as data. The clients send it, the emulator serves it and the documentation lists it. It
 * is declared as a literal (`{ … } as const satisfies Endpoint`), so that a bundler drops those that a program does not
 * use.
 */
export interface Endpoint<Query = unknown, Body = unknown, Response = unknown> {
  /** The method that a caller writes, such as `sessions.create`. Events, logs and errors name it. */
  readonly operation: string
  /** The section of the service contract. */
  readonly section: string
  /**
   * Error codes that the contract names for this operation, in addition to those that every operation has.
   *
   * @default none
   */
  readonly errors?: readonly KnownErrorCode[]
  readonly method: Method
  /** Path template. `{name}` stands for one encoded path segment. */
  readonly path: string
  /** True if the contract does not declare the path, which may then contain ids. @default false */
  readonly undeclared?: boolean
  readonly query?: Schema<Query>
  readonly body?: Schema<Body>
  /** Body fields that contain images. They are sent as files of a multipart form, or as base64 in JSON. */
  readonly images?: readonly string[]
  /** Body fields that contain a list of images, which is sent as base64 in JSON. */
  readonly imageLists?: readonly string[]
  /** Other spellings of body fields that the service accepts, each with the canonical spelling. */
  readonly aliases?: Readonly<Record<string, string>>
  /** True if a provider may require fields of other names (contract, section 4.5). @default false */
  readonly namesByProvider?: boolean
  /** The status of a success. @default 200 */
  readonly successStatus?: number
  /** The payload, without the envelope. */
  readonly response: Schema<Response>
  /** The part of the payload that is always validated, even with `responseValidation: 'off'`. */
  readonly strict?: Schema
  /** Gives `data` one form: fills in what is absent or null, or wraps what came bare. It must accept any JSON. */
  readonly complete?: (data: unknown) => unknown
  /** Whether the payload is in the envelope (contract, section 2.1), bare, or either of the two. @default 'data' */
  readonly envelope?: 'data' | 'none' | 'optional'
  /** The member of `data` that contains the payload. Without it, `data` is the payload. */
  readonly unwrap?: string
  readonly replay: Replay
  /** True if each call is charged. @default false */
  readonly billable?: boolean
  /**
   * True if the call takes 10 to 60 seconds (contract, section 8). Such a call has a longer default timeout.
   *
   * @default false
   */
  readonly slow?: boolean
  /** A lower limit for the response than the client's, in bytes. */
  readonly maxResponseBytes?: number
  /** The method to use instead of an operation that the service has removed. */
  readonly replacedBy?: string
  /** True if the contract names the operation without its shape, or the path is inferred. @default false */
  readonly unconfirmed?: boolean
}

/**
 * The facts of an operation at compile time. Each file of the contract lists its operations as such a type next to
 * their declarations, because a type that is derived from the declarations would bring their schemas into the public
 * types, and with them zod, which is bundled and so not installed. The test of the operations compiles only if the two
 * are equal.
 */
export interface OperationFacts<
  Route extends string,
  Code extends KnownErrorCode = never,
  Key extends 'with-key' | 'without-key' = 'without-key',
> {
  /** Method and path template. */
  readonly route: Route
  /** The codes that the contract names for this operation alone. */
  readonly code: Code
  /** Whether the operation accepts an `Idempotency-Key`. */
  readonly key: Key
}

/**
 * Whether a call may be charged. The path of a write that is not declared may be another spelling of one that is
 * billed: the service may ignore case, double slashes or percent-encodings.
 */
export const mayBeCharged = ({ billable = false, undeclared = false, method }: Endpoint): boolean =>
  billable || (undeclared && method !== 'GET')

/** The endpoint that a path belongs to, with the encoded segments in place of its ids. */
export interface FoundEndpoint {
  readonly endpoint: Endpoint
  readonly ids: Readonly<Record<string, string>>
}

/** Finds the endpoint of a method and a path. A literal segment wins over an id. */
export function findEndpoint(endpoints: readonly Endpoint[], method: string, path: string): FoundEndpoint | undefined {
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
