import { readBytes } from '../../runtime/bytes.ts'
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

/** The types of Node do not list every member. */
type Init = RequestInit & { duplex?: 'half'; readonly cache?: 'no-store' }

/** Sends requests through the caller's `fetch`, or the global one, looked up at each call. */
export class FetchTransport implements Transport {
  readonly keepsChunks = true
  readonly #fetch: typeof globalThis.fetch | undefined

  constructor(fetch?: typeof globalThis.fetch) {
    this.#fetch = fetch
  }

  async send(
    request: TransportRequest,
    attempt: TransportAttempt,
    maxResponseBytes: number,
  ): Promise<TransportResponse> {
    const send = this.#fetch ?? globalThis.fetch
    const controller = new AbortController()
    const ended = new Promise<never>((_, reject) => {
      attempt.onEnd((reason) => {
        controller.abort(reason)
        reject(reason)
      })
    })
    // A fetch does not report when it sends: from here on, the service may have received the request.
    attempt.markSent()
    const exchange = this.#exchange(send, request, controller.signal, maxResponseBytes)
    try {
      // Not every fetch honors its signal.
      return await Promise.race([exchange, ended])
    } catch (thrown) {
      controller.abort()
      if (neverSent(thrown)) attempt.markSent(false)
      throw thrown
    }
  }

  async close(): Promise<void> {}

  async #exchange(
    send: typeof globalThis.fetch,
    { method, origin, path, headers, body }: TransportRequest,
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
      init.body = body as NonNullable<RequestInit['body']>
    else if (body !== undefined) {
      init.body = streamOf(body)
      init.duplex = 'half'
    }
    const response = await send(origin + path, init)
    // Some platforms report status 0 for a redirect that is not followed.
    const head = { status: response.status || 302, headers: new FetchHeaders(response.headers) }
    const bytes = await readBytes(response.body, maxResponseBytes).catch((thrown) => {
      throw isDecompressionError(thrown)
        ? new UnreadableResponse('the response cannot be decompressed', head)
        : thrown
    })
    if (bytes === undefined) throw responseTooLarge(maxResponseBytes, head)
    return { ...head, body: bytes }
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

function streamOf(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
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
}

const isDecompressionError = (thrown: unknown) =>
  someCause(thrown, ({ code = '' }) => /^(?:Z|ERR__ERROR_FORMAT)_/.test(code))

class FetchHeaders implements TransportHeaders {
  readonly #headers: Headers

  constructor(headers: Headers) {
    this.#headers = headers
  }

  get(name: string): string | null {
    return this.#headers.get(name)
  }

  toHeaders(): Headers {
    return this.#headers
  }
}
