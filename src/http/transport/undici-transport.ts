import type { Dispatcher, Pool } from 'undici'
import { BoundedBytes } from '../../runtime/bytes.ts'
import { inPieces } from '../body/body.ts'
import type { EnvProxy } from './env-proxy.ts'
import { brokeAfterConnect, neverSent } from './never-sent.ts'
import {
  responseTooLarge,
  type Transport,
  type TransportAttempt,
  type TransportHeaders,
  type TransportRequest,
  type TransportResponse,
  UnreadableResponse,
} from './transport.ts'
import type { modules } from './undici.node.ts'

/** Options of the client's own pool. */
export interface PoolOptions {
  readonly origin: string
  readonly connections: number | undefined
  readonly http2: boolean
  /** The proxy of the environment that connections are opened through. */
  readonly proxy: EnvProxy | undefined
  readonly modules: NonNullable<typeof modules>
}

type Dispatch = Pick<Dispatcher, 'dispatch'>

/** Sends requests through undici, which is loaded by the first call. */
export class UndiciTransport implements Transport {
  readonly #options: PoolOptions
  readonly #own: boolean
  readonly #isGlobal: boolean
  #dispatcher: Dispatch | Promise<Dispatch> | undefined
  #closing: Promise<void> | undefined

  /** @param dispatcher the caller's dispatcher, or that of the process; without it, the client creates its own pool */
  constructor(options: PoolOptions, dispatcher?: object | 'global') {
    this.#options = options
    this.#own = dispatcher === undefined
    this.#isGlobal = dispatcher === 'global'
    this.#dispatcher = this.#isGlobal ? undefined : (dispatcher as Dispatch | undefined)
  }

  /** undici's own pool waits until the socket has taken a chunk. Another dispatcher may not. */
  get keepsChunks(): boolean {
    return !this.#own
  }

  connectFailure(thrown: unknown, code: string): string | undefined {
    const { origin, proxy, modules } = this.#options
    return this.#own ? modules.connectFailure(origin, proxy, thrown, code) : undefined
  }

  async send(
    request: TransportRequest,
    attempt: TransportAttempt,
    maxResponseBytes: number,
  ): Promise<TransportResponse> {
    const current = this.#current()
    const dispatcher = current instanceof Promise ? await current : current
    const response = await new Promise<TransportResponse>((resolve, reject) => {
      const exchange = this.#own ? new Exchange() : new PortableExchange()
      const mayBeHttp2 = !this.#own || this.#options.http2
      const cut = mayBeHttp2 ? inPieces(request.body) : undefined
      exchange.start({ attempt, mayResend: mayBeHttp2, maxResponseBytes, resolve, reject })
      dispatcher.dispatch(
        {
          origin: request.origin,
          path: request.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: (cut ? [...request.headers, 'content-length', String(cut.length)] : request.headers) as string[],
          // undici reads a list again if it sends the request again.
          body: (cut?.pieces ?? request.body ?? null) as Dispatcher.DispatchOptions['body'],
          // The attempt has its own timer. undici's timers only bound the gaps between bytes.
          headersTimeout: 0,
          bodyTimeout: 0,
          // Credentials stay with this origin, also if an interceptor of the dispatcher follows redirects.
          maxRedirections: 0,
        } as Dispatcher.DispatchOptions,
        exchange as unknown as Dispatcher.DispatchHandler,
      )
    })
    return decompress(response, maxResponseBytes, this.#options.modules.zlib)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    if (this.#own) await ((await this.#dispatcher) as Pool | undefined)?.close()
  }

  #current(): Dispatch | Promise<Dispatch> {
    if (this.#isGlobal) return this.#global()
    this.#dispatcher ??= this.#open()
    return this.#dispatcher
  }

  /** Looked up at each call, because a test may set another one. All copies of undici in the process share it. */
  async #global(): Promise<Dispatch> {
    const { getGlobalDispatcher } = await this.#options.modules.undici()
    return getGlobalDispatcher()
  }

  async #open(): Promise<Dispatch> {
    const { origin, connections, http2: allowH2, proxy, modules } = this.#options
    const undici = await modules.undici()
    const through = proxy && { connect: modules.tunnelConnector(undici, proxy, { allowH2 }) }
    const pool = new undici.Pool(origin, { connections: connections ?? null, allowH2, ...through })
    if (this.#closing !== undefined) void pool.close()
    this.#dispatcher = pool
    return pool
  }
}

interface ExchangeContext {
  readonly attempt: TransportAttempt
  /**
   * True if the dispatcher may send the request again by itself: undici does it when a server ends a session of HTTP/2,
   * and another dispatcher may have retries. A failed connect then says nothing about the bytes that it sent before.
   */
  readonly mayResend: boolean
  readonly maxResponseBytes: number
  readonly resolve: (response: TransportResponse) => void
  readonly reject: (reason: unknown) => void
}

/** One request and its response. It implements the handler interface of undici 7 that costs the least time. */
class Exchange {
  #context: ExchangeContext | undefined
  #abort: ((reason: Error) => void) | undefined
  #status = 0
  #headers: TransportHeaders = noHeaders
  #body: BoundedBytes | undefined

  start(context: ExchangeContext): void {
    this.#context = context
    this.#body = new BoundedBytes(context.maxResponseBytes)
    context.attempt.onEnd(this.end)
  }

  onConnect(abort: (reason?: Error) => void): void {
    const { attempt } = this.#context as ExchangeContext
    this.#abort = abort
    if (attempt.ended) abort(attempt.ended)
    else attempt.markSent()
  }

  onHeaders(status: number, rawHeaders: readonly Uint8Array[]): boolean {
    if (status >= 200) this.setHead(status, new RawHeaders(rawHeaders))
    return true
  }

  onData(chunk: Uint8Array): boolean {
    const { maxResponseBytes } = this.#context as ExchangeContext
    if (this.#body?.add(chunk) === false)
      this.end(responseTooLarge(maxResponseBytes, { status: this.#status, headers: this.#headers }))
    return true
  }

  onComplete(): void {
    const body = this.#body?.join() ?? new Uint8Array()
    this.#context?.resolve({ status: this.#status, headers: this.#headers, body })
  }

  onError(error: unknown): void {
    const { mayResend, reject } = this.#context as ExchangeContext
    // MSW 3 and nock 15 accept a connection, and bytes, before they look up the host and connect to it.
    if (!mayResend && neverSent(error)) this.markSent(false)
    reject(error)
  }

  protected markSent(sent?: boolean): void {
    this.#context?.attempt.markSent(sent)
  }

  /** Rejects by itself, because not every dispatcher reports an abort, or one before the request has started. */
  protected readonly end = (reason: Error): void => {
    this.#body = undefined
    this.#context?.reject(reason)
    this.#abort?.(reason)
  }

  protected setHead(status: number, headers: TransportHeaders): void {
    if (status < 300) this.#context?.attempt.markAnswered()
    this.#status = status
    this.#headers = headers
  }
}

interface Controller {
  abort(reason: Error): void
}

interface StartContext {
  /** The URLs before this one, if it is that of a redirect. */
  readonly history?: readonly URL[]
}

const redirectFollowed = () =>
  Object.assign(new Error('the dispatcher followed a redirect'), { code: 'ERR_REDIRECT_FOLLOWED' })

/** The same for a caller's dispatcher, which may use either of undici's two handler interfaces. */
class PortableExchange extends Exchange {
  onRequestStart(controller: Controller, context?: StartContext): void {
    this.onConnect((reason) => controller.abort(reason ?? new Error('aborted')), context)
  }

  override onConnect(abort: (reason?: Error) => void, context?: StartContext): void {
    super.onConnect(abort)
    // Not every interceptor honors `maxRedirections`. Nothing of this request has been sent yet.
    if (context?.history?.length) this.end(redirectFollowed())
  }

  onResponseStart(_: Controller, status: number, headers: Record<string, string | string[]>): void {
    if (status >= 200) this.setHead(status, new PlainHeaders(headers))
  }

  onResponseData(_: Controller, chunk: Uint8Array): void {
    this.onData(chunk)
  }

  onResponseEnd(): void {
    this.onComplete()
  }

  onResponseError(_: Controller, error: unknown): void {
    this.onError(error)
  }

  /** Trusts the error more than a dispatcher that did not report a start, as mocks do not. */
  override onError(error: unknown): void {
    if (brokeAfterConnect(error)) this.markSent()
    super.onError(error)
  }
}

/** Headers from undici's parser: names and values as bytes, alternating. */
class RawHeaders implements TransportHeaders {
  readonly #raw: readonly Uint8Array[]

  constructor(raw: readonly Uint8Array[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const values: string[] = []
    for (let i = 0; i < this.#raw.length; i += 2) {
      const field = this.#raw[i] as Uint8Array
      if (field.byteLength === name.length && latin1(field).toLowerCase() === name) values.push(this.#value(i))
    }
    return values.length === 0 ? null : values.join(', ')
  }

  toHeaders(): Headers {
    const headers = new Headers()
    for (let i = 0; i < this.#raw.length; i += 2) {
      headers.append(latin1(this.#raw[i] as Uint8Array), this.#value(i))
    }
    return headers
  }

  #value(i: number): string {
    const value: unknown = this.#raw[i + 1]
    return Array.isArray(value) ? value.map(latin1).join(', ') : latin1(value as Uint8Array)
  }
}

class PlainHeaders implements TransportHeaders {
  readonly #headers: Headers

  constructor(fields: Readonly<Record<string, string | string[]>>) {
    this.#headers = new Headers()
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) this.#headers.append(name, value)
    }
  }

  get(name: string): string | null {
    return this.#headers.get(name)
  }

  toHeaders(): Headers {
    return this.#headers
  }
}

const noHeaders: TransportHeaders = { get: () => null, toHeaders: () => new Headers() }

const latin1 = (bytes: Uint8Array | string): string =>
  typeof bytes === 'string' ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')

/** Loads zlib, which few responses need. */
type LoadZlib = () => Promise<typeof import('node:zlib')>

type Decompressor = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void

/** Maximum number of content codings of one response, as in undici. Each costs the time of a whole response. */
const maxCodings = 5

/**
 * Decompresses a response as `fetch` does. No `Accept-Encoding` is sent, but a proxy may compress anyway. If a coding
 * is unknown, the body is returned as received, because misconfigured servers name a charset there.
 *
 * @throws {UnreadableResponse} the body is broken, the result exceeds the limit, or there are too many codings
 */
async function decompress(
  response: TransportResponse,
  maxResponseBytes: number,
  loadZlib: LoadZlib,
): Promise<TransportResponse> {
  const codings = (response.headers.get('content-encoding') ?? '')
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length === 0 || response.body.byteLength === 0) return response
  if (codings.length > maxCodings) throw new UnreadableResponse('the response has too many content codings', response)
  const zlib = await loadZlib()
  const decompressors: Partial<Record<string, Decompressor>> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    // Some servers leave out the header of zlib.
    deflate: (bytes, ...rest) => (hasZlibHeader(bytes) ? zlib.inflate : zlib.inflateRaw)(bytes, ...rest),
    br: zlib.brotliDecompress,
    // From Node 22.15 on.
    zstd: (zlib as { zstdDecompress?: Decompressor }).zstdDecompress,
  }
  const steps: Decompressor[] = []
  // The coding that was applied last is removed first.
  for (const coding of codings.reverse()) {
    const step = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
    if (step === undefined) return response
    steps.push(step)
  }
  let { body } = response
  for (const run of steps) {
    body = await new Promise<Uint8Array>((resolve, reject) => {
      run(body, { maxOutputLength: maxResponseBytes }, (error, result) => {
        if (error === null) resolve(result)
        else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
          reject(responseTooLarge(maxResponseBytes, response))
        } else reject(new UnreadableResponse('the response cannot be decompressed', response))
      })
    })
  }
  return { ...response, body }
}

/** RFC 1950: the low four bits of the first byte name the method, which is 8 for deflate. */
const hasZlibHeader = ([first = 0]: Uint8Array) => (first & 0x0f) === 8
