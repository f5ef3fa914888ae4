import { BoundedBytes, encodeUtf8, pacer, readBytes } from '../../runtime/bytes.ts'
import { isDeno, isNode } from '../../runtime/environment.ts'
import { inPieces } from '../body/body.ts'
import type { FetchOption } from '../params/options.ts'
import { neverSent, someCause } from './never-sent.ts'
import {
  responseTooLarge,
  type Transport,
  type TransportAttempt,
  type TransportHeaders,
  type TransportRequest,
  type TransportResponse,
  UnreadableResponse,
} from './transport.ts'

type Send = NonNullable<FetchOption['fetch']>

/** The types of Node do not list every member. */
type Init = RequestInit & { duplex?: 'half'; readonly cache?: 'no-store' }

/** Sends requests through the caller's `fetch`, or the global one, looked up at each call. */
export class FetchTransport implements Transport {
  readonly keepsChunks = true
  readonly #fetch: FetchOption['fetch']
  readonly #onDeno = isDeno()

  constructor(fetch?: FetchOption['fetch']) {
    this.#fetch = fetch
  }

  async send(
    request: TransportRequest,
    attempt: TransportAttempt,
    maxResponseBytes: number,
  ): Promise<TransportResponse> {
    const send = this.#fetch ?? globalThis.fetch
    const controller = new AbortController()
    try {
      return await new Promise<TransportResponse>((resolve, reject) => {
        // Rejects by itself, because not every fetch honors its signal.
        attempt.onEnd((reason) => {
          controller.abort(reason)
          reject(reason)
        })
        // A fetch does not report when it sends: from here on, the service may have received the request.
        attempt.markSent()
        this.#exchange(send, request, attempt, controller.signal, maxResponseBytes).then(resolve, reject)
      })
    } catch (thrown) {
      controller.abort()
      if (neverSent(thrown) || thrown instanceof UnboundFetch) attempt.markSent(false)
      throw thrown
    }
  }

  async close(): Promise<void> {}

  async #exchange(
    send: Send,
    { method, origin, path, headers, body }: TransportRequest,
    attempt: TransportAttempt,
    signal: AbortSignal,
    maxResponseBytes: number,
  ): Promise<TransportResponse> {
    const init: Init = {
      method,
      headers: record(headers),
      redirect: 'manual',
      signal,
      ...uncached(),
    }
    if (typeof body === 'string' || body instanceof Uint8Array)
      init.body = blobOf(body, this.#onDeno) ?? (body as NonNullable<RequestInit['body']>)
    else if (body === undefined && method === 'POST') init.body = blobOf('', this.#onDeno) ?? null
    else if (body !== undefined) {
      init.body = streamOf(body)
      init.duplex = 'half'
    }
    const response = await sendStreamOrBytes(bound(send), origin + path, init)
    if (Object(response).ok === true) attempt.markAnswered()
    return readFetched(response, maxResponseBytes, signal)
  }
}

/** An object, because wrappers of `fetch` add their headers to it: a spread list of pairs would lose the API key. */
function record(flat: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {}
  for (let i = 0; i < flat.length; i += 2) result[flat[i] as string] = flat[i + 1] as string
  return result
}

/** Next.js 14 keeps the response of a GET for ever. No response of the service is to come from a cache. */
const noStore: Init = { cache: 'no-store' }
let uncachedInit: Init | undefined

/** Workers with a compatibility date before 2024-11-11 throw if a request names a cache mode. */
function uncached(): Init {
  if (uncachedInit !== undefined) return uncachedInit
  uncachedInit = noStore
  try {
    new Request('https://localhost', noStore)
  } catch {
    uncachedInit = {}
  }
  return uncachedInit
}

/** Thrown into a `fetch` that does not know streams of the web, and would send one as `[object ReadableStream]`. */
class StreamAsText extends TypeError {}

const refuseText = {
  value: () => {
    throw new StreamAsText('this is a ReadableStream or a Blob, which has no text')
  },
}

/**
 * Returns a long body as a Blob: the `fetch` of Node, which uses HTTP/2 from Node 26 on, sends each part of one when
 * the server has taken the part before. Unlike a stream, it has a length, and a wrapper of `fetch` can send it again.
 *
 * On Deno, every body is a Blob: if a used connection closes before the response, its `fetch` sends any other body, and
 * a request without one, a second time, also those of a POST.
 */
function blobOf(body: string | Uint8Array, onDeno: boolean): Blob | undefined {
  const pieces = onDeno ? [body] : inPieces(body)?.pieces
  if (pieces === undefined || !(onDeno || isNode())) return undefined
  const blob = new Blob(pieces as Uint8Array<ArrayBuffer>[])
  // By its constructor, node-fetch 2 recognizes a Blob, which it cannot send if it is that of Node.
  return Object.defineProperties(blob, { constructor: { value: Object }, toString: refuseText })
}

/** A `fetch` that is a method was passed without its object. The runtime says so before anything is sent. */
export class UnboundFetch extends Error {}

const bound =
  (send: Send): Send =>
  (url, init) => {
    try {
      return send(url, init)
    } catch (cause) {
      throw cause instanceof TypeError && /illegal invocation/i.test(cause.message)
        ? new UnboundFetch('', { cause })
        : cause
    }
  }

/** Sends a request. A `fetch` that cannot send a stream, such as node-fetch, is called again with the bytes. */
async function sendStreamOrBytes(send: Send, url: string, init: Init): Promise<unknown> {
  const { body, duplex, ...others } = init
  if (!(body instanceof ReadableStream || body instanceof Blob)) return send(url, init)
  try {
    return await send(url, init)
  } catch (thrown) {
    // It was thrown before the body was read, so nothing of it was sent.
    if (!someCause(thrown, (cause) => cause instanceof StreamAsText)) throw thrown
    const bytes = await readBytes(body instanceof Blob ? body.stream() : body, Number.MAX_SAFE_INTEGER)
    return send(url, { ...others, body: bytes as NonNullable<RequestInit['body']> })
  }
}

function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
  return Object.defineProperty(stream, 'toString', refuseText)
}

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
async function readFetched(
  fetched: unknown,
  maxResponseBytes: number,
  signal: AbortSignal,
): Promise<TransportResponse> {
  if (typeof fetched !== 'object' || fetched === null)
    throw new UnusableResponse(`fetch returned ${fetched === null ? 'null' : typeof fetched}, not a Response`)
  const response: Fetched = fetched
  if (isUsed(response)) throw new UnusableResponse('fetch returned a Response whose body was already read')
  const head = { status: statusOf(response), headers: new FetchHeaders(response.headers) }
  const bytes = await bytesOf(response, maxResponseBytes, signal).catch((thrown) => {
    if (Object(thrown).name === 'SyntaxError') throw new UnreadableResponse('the response is not JSON', head)
    throw isDecompressionError(thrown) ? new UnreadableResponse('the response cannot be decompressed', head) : thrown
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
async function bytesOf(response: Fetched, maxBytes: number, signal: AbortSignal): Promise<Uint8Array | undefined> {
  const { body } = response
  if (isWebStream(body)) return readBytes(body, maxBytes, signal)
  if (isAsyncIterable(body)) return collect(body, maxBytes, signal)
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
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  const bytes = new BoundedBytes(maxBytes)
  const pause = pacer()
  for await (const chunk of chunks) {
    const turn = pause()
    if (turn) await turn
    if (signal.aborted || !bytes.add(typeof chunk === 'string' ? encodeUtf8(chunk) : chunk)) return undefined
  }
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
