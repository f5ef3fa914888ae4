import { BoundedBytes, encodeUtf8, readBytes } from '../../runtime/bytes.ts'
import { someCause } from './never-sent.ts'
import {
  responseTooLarge,
  type TransportHeaders,
  type TransportResponse,
  UnreadableResponse,
} from './transport.ts'

/** The result of a `fetch` has no status, or a body that cannot be read. The request may have been executed. */
export class UnusableResponse extends Error {}

/** The response of a fetch: of the web, of node-fetch or of a mock. Only the first one has every member. */
interface Fetched {
  readonly status?: unknown
  readonly ok?: unknown
  readonly headers?: unknown
  readonly bodyUsed?: unknown
  readonly body?: unknown
  arrayBuffer?(): Promise<ArrayBuffer>
  text?(): Promise<string>
  json?(): Promise<unknown>
}

/**
 * Reads the response of any `fetch`.
 *
 * @throws {UnusableResponse} it is not a response
 * @throws {UnreadableResponse} it is larger than allowed, or cannot be decompressed
 */
export async function readFetched(fetched: unknown, maxResponseBytes: number): Promise<TransportResponse> {
  if (typeof fetched !== 'object' || fetched === null)
    throw new UnusableResponse(`fetch returned ${fetched === null ? 'null' : typeof fetched}, not a Response`)
  const response: Fetched = fetched
  if (isUsed(response)) throw new UnusableResponse('fetch returned a Response whose body was already read')
  const head = { status: statusOf(response), headers: new FetchHeaders(response.headers) }
  const bytes = await bytesOf(response, maxResponseBytes).catch((thrown) => {
    if (Object(thrown).name === 'SyntaxError') throw new UnreadableResponse('the response is not JSON', head)
    throw isDecompressionError(thrown)
      ? new UnreadableResponse('the response cannot be decompressed', head)
      : thrown
  })
  if (bytes === undefined) throw responseTooLarge(maxResponseBytes, head)
  return { ...head, body: bytes }
}

const isUsed = ({ bodyUsed, body }: Fetched) =>
  bodyUsed === true || (Object(body) as Partial<ReadableStream>).locked === true

function statusOf({ status, ok }: Fetched): number {
  // Some platforms report status 0 for a redirect that is not followed.
  if (typeof status === 'number') return status || 302
  if (ok === true) return 200
  throw new UnusableResponse('fetch returned an object without a status, not a Response')
}

/** Returns `undefined` for a body that is too large. */
async function bytesOf(response: Fetched, maxBytes: number): Promise<Uint8Array | undefined> {
  const { body } = response
  if (isWebStream(body)) return readBytes(body, maxBytes)
  if (isAsyncIterable(body)) return collect(body, maxBytes)
  const bytes = await wholeBody(response)
  return bytes.byteLength > maxBytes ? undefined : bytes
}

async function wholeBody(response: Fetched): Promise<Uint8Array> {
  if (response.arrayBuffer) return new Uint8Array(await response.arrayBuffer())
  if (response.text) return encodeUtf8(await response.text())
  if (response.json) return encodeUtf8(JSON.stringify(await response.json()) ?? '')
  throw new UnusableResponse('fetch returned an object without arrayBuffer, text or json, not a Response')
}

const isWebStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof (Object(body) as Partial<ReadableStream>).getReader === 'function'

/** A stream of Node, which node-fetch returns. */
const isAsyncIterable = (body: unknown): body is AsyncIterable<Uint8Array | string> =>
  typeof Object(body)[Symbol.asyncIterator] === 'function'

async function collect(
  chunks: AsyncIterable<Uint8Array | string>,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const bytes = new BoundedBytes(maxBytes)
  for await (const chunk of chunks)
    if (!bytes.add(typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)) return undefined
  return bytes.join()
}

const isDecompressionError = (thrown: unknown) =>
  someCause(thrown, ({ code = '' }) => /^(?:Z|ERR__ERROR_FORMAT)_/.test(code))

/** `Headers` of the web, those of node-fetch, which have the same methods, or an object of a mock. */
class FetchHeaders implements TransportHeaders {
  readonly #headers: unknown

  constructor(headers: unknown) {
    this.#headers = hasGet(headers) ? headers : plainHeaders(headers)
  }

  get(name: string): string | null {
    return (this.#headers as Headers).get(name) ?? null
  }

  toHeaders(): Headers {
    return this.#headers instanceof Headers ? this.#headers : plainHeaders(this.#headers)
  }
}

const hasGet = (headers: unknown): headers is Pick<Headers, 'get'> =>
  typeof (Object(headers) as Partial<Headers>).get === 'function' && !(headers instanceof Map)

function plainHeaders(value: unknown): Headers {
  const fields = Object(value) as object
  const headers = new Headers()
  for (const [name, value] of Symbol.iterator in fields ? (fields as Headers) : Object.entries(fields))
    if (/^[\w-]+$/.test(name)) headers.append(name, String(value))
  return headers
}
