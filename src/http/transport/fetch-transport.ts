import { readBytes } from '../../runtime/bytes.ts'
import type { FetchOption } from '../params/options.ts'
import { readFetched } from './fetch-response.ts'
import { neverSent, someCause } from './never-sent.ts'
import type { Transport, TransportAttempt, TransportRequest, TransportResponse } from './transport.ts'

type Send = NonNullable<FetchOption['fetch']>

/** The types of Node do not list every member. */
type Init = RequestInit & { duplex?: 'half'; readonly cache?: 'no-store' }

/** Sends requests through the caller's `fetch`, or the global one, looked up at each call. */
export class FetchTransport implements Transport {
  readonly keepsChunks = true
  readonly #fetch: FetchOption['fetch']

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
    send: Send,
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
    const response = await sendStreamOrBytes(send, origin + path, init)
    return readFetched(response, maxResponseBytes)
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
    throw new StreamAsText('this is a ReadableStream, which has no text')
  },
}

/** Sends a request. A `fetch` that cannot send a stream, such as node-fetch, is called again with the bytes. */
async function sendStreamOrBytes(send: Send, url: string, init: Init): Promise<unknown> {
  const { body, duplex, ...others } = init
  if (!(body instanceof ReadableStream)) return send(url, init)
  try {
    return await send(url, init)
  } catch (thrown) {
    // It was thrown before the body was read, so nothing of it was sent.
    if (!someCause(thrown, (cause) => cause instanceof StreamAsText)) throw thrown
    const bytes = await readBytes(body, Number.MAX_SAFE_INTEGER)
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
