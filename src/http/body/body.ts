import { type CallFacts, invalidParam } from '../../errors/call-errors.ts'
import { encodeUtf8, piecesOf } from '../../runtime/bytes.ts'

/** How much of a request's body has been sent, in bytes. */
export interface UploadProgress {
  /** Bytes sent so far. */
  readonly loaded: number
  /** Bytes of the whole body. Missing if a stream does not say how long it is. */
  readonly total?: number | undefined
}

/** The body of one attempt. */
export interface RequestBody {
  readonly data: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  /** The length of a stream, if known. */
  readonly length?: number | undefined
  /** Returns why reading the body failed, which is not a failure of the network. */
  readonly fault?: () => unknown
  /** Whether the transport has taken the last bytes. Without them, no service executes the request. */
  readonly isTaken?: () => boolean
  /** Closes what the attempt left open, such as a file that was read halfway. */
  readonly dispose?: () => void
}

/** The call that a body is opened for. */
export interface BodyCall extends CallFacts {
  boundary(): Promise<string>
}

/** How a body is read. */
export interface ReadOptions {
  /** True if a chunk is still read after the next one was requested, so that its memory cannot be reused yet. */
  readonly keepsChunks: boolean
}

/** The body of a logical call. It is opened again for each attempt. */
export interface BodySource {
  open(call: BodyCall, how: ReadOptions): RequestBody | Promise<RequestBody>
  /** False once a stream that can be read only once has been started. */
  readonly replayable: boolean
}

export const jsonHeaders = ['content-type', 'application/json'] as const

const empty: RequestBody = { data: undefined, headers: [] }

export const noBody: BodySource = { open: () => empty, replayable: true }

export function jsonBody(data: string): BodySource {
  const body: RequestBody = { data, headers: jsonHeaders }
  return { open: () => body, replayable: true }
}

/** True for an object literal or a parsed object, false for a stream, a date or another class. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Sorts members by name, so that equal params give equal bytes, in any order. */
export const sortedByName = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))

const ordered = (_: string, value: unknown) => (isPlainObject(value) ? sortedByName(value) : value)

/** @throws {InvalidParamsError} the value has no JSON form, for example because of a cycle or a BigInt */
export function toJson(value: unknown, call: CallFacts): string {
  try {
    // Without a key only this call retries it, and this call keeps the text.
    return call.idempotencyKey === undefined ? JSON.stringify(value) : JSON.stringify(value, ordered)
  } catch (thrown) {
    throw invalidParam(call, 'params', 'cannot be written as JSON', thrown)
  }
}

const mayHaveToWait = 65_536

/**
 * Returns a long body in memory in pieces, otherwise `undefined`. In one piece, all of it waits in the session of
 * HTTP/2, and node:http2 refuses every response of a session in which more than 10 MB wait.
 */
export function inPieces(body: RequestBody['data']): { pieces: Uint8Array[]; length: number } | undefined {
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return undefined
  if (body.length <= mayHaveToWait) return undefined
  const bytes = typeof body === 'string' ? encodeUtf8(body) : body
  return { pieces: piecesOf(bytes), length: bytes.byteLength }
}
