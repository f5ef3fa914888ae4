import type { Dispatcher, Pool } from 'undici'
import { decompress } from './decompress.ts'
import {
  responseTooLarge,
  type Transport,
  type TransportAttempt,
  type TransportHeaders,
  type TransportRequest,
  type TransportResponse,
} from './transport.ts'

/** What our own pool is made with. */
export interface PoolOptions {
  readonly origin: string
  readonly connections: number | undefined
  readonly http2: boolean
}

type Dispatch = Pick<Dispatcher, 'dispatch'>

/** Sends through undici, whose module is loaded at the first call. */
export class UndiciTransport implements Transport {
  readonly #options: PoolOptions
  readonly #own: boolean
  #dispatcher: Dispatch | Promise<Dispatch> | undefined
  #closing: Promise<void> | undefined

  /** @param dispatcher the caller's; without one a pool is made */
  constructor(options: PoolOptions, dispatcher?: object) {
    this.#options = options
    this.#own = dispatcher === undefined
    this.#dispatcher = dispatcher as Dispatch | undefined
  }

  /** A pool of undici waits until the socket has taken a chunk; what another dispatcher does is not known. */
  get keepsChunks(): boolean {
    return !this.#own
  }

  async send(
    request: TransportRequest,
    attempt: TransportAttempt,
    maxResponseBytes: number,
  ): Promise<TransportResponse> {
    this.#dispatcher ??= this.#open()
    const found = this.#dispatcher
    const dispatcher = found instanceof Promise ? await found : found
    const answer = await new Promise<TransportResponse>((resolve, reject) => {
      const exchange = this.#own ? new Exchange() : new PortableExchange()
      exchange.begin({ attempt, maxResponseBytes, resolve, reject })
      dispatcher.dispatch(
        {
          origin: request.origin,
          path: request.path,
          method: request.method as Dispatcher.HttpMethod,
          headers: request.headers as string[],
          body: (request.body ?? null) as Dispatcher.DispatchOptions['body'],
          // One clock, ours, covers the attempt: undici's watch only the gaps between bytes.
          headersTimeout: 0,
          bodyTimeout: 0,
        } as Dispatcher.DispatchOptions,
        exchange as unknown as Dispatcher.DispatchHandler,
      )
    })
    return decompress(answer, maxResponseBytes)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    if (this.#own) await ((await this.#dispatcher) as Pool | undefined)?.close()
  }

  async #open(): Promise<Dispatch> {
    const { origin, connections, http2 } = this.#options
    const { Pool } = await import('undici')
    const pool = new Pool(origin, { connections: connections ?? null, allowH2: http2 })
    if (this.#closing !== undefined) void pool.close()
    this.#dispatcher = pool
    return pool
  }
}

interface ExchangeFacts {
  readonly attempt: TransportAttempt
  readonly maxResponseBytes: number
  readonly resolve: (answer: TransportResponse) => void
  readonly reject: (reason: unknown) => void
}

/** One request at a dispatcher of undici 7, by its quickest handler interface. */
class Exchange {
  #facts: ExchangeFacts | undefined
  #abort: ((reason: Error) => void) | undefined
  #status = 0
  #headers: TransportHeaders = noHeaders
  #chunks: Uint8Array[] = []
  #length = 0

  begin(facts: ExchangeFacts): void {
    this.#facts = facts
    facts.attempt.onEnd(this.#end)
  }

  onConnect(abort: (reason?: Error) => void): void {
    const { attempt } = this.#facts as ExchangeFacts
    this.#abort = abort
    if (attempt.ended) abort(attempt.ended)
    else attempt.markSent()
  }

  onHeaders(status: number, rawHeaders: readonly Uint8Array[]): boolean {
    if (status >= 200) this.start(status, new RawHeaders(rawHeaders))
    return true
  }

  onData(chunk: Uint8Array): boolean {
    const { maxResponseBytes } = this.#facts as ExchangeFacts
    this.#length += chunk.byteLength
    if (this.#length <= maxResponseBytes) this.#chunks.push(chunk)
    else this.#end(responseTooLarge(maxResponseBytes, { status: this.#status, headers: this.#headers }))
    return true
  }

  onComplete(): void {
    const body =
      this.#chunks.length === 1 ? (this.#chunks[0] as Uint8Array) : Buffer.concat(this.#chunks, this.#length)
    this.#facts?.resolve({ status: this.#status, headers: this.#headers, body })
  }

  onError(error: unknown): void {
    this.#facts?.reject(error)
  }

  /** Not every dispatcher tells of an end that it was asked for, nor of one before it began. */
  readonly #end = (reason: Error): void => {
    this.#chunks = []
    this.#facts?.reject(reason)
    this.#abort?.(reason)
  }

  protected start(status: number, headers: TransportHeaders): void {
    this.#status = status
    this.#headers = headers
  }
}

interface Controller {
  abort(reason: Error): void
}

/** The same for a caller's dispatcher, which may speak either of undici's two handler interfaces. */
class PortableExchange extends Exchange {
  onRequestStart(controller: Controller): void {
    this.onConnect((reason) => controller.abort(reason ?? new Error('aborted')))
  }

  onResponseStart(_: Controller, status: number, headers: Record<string, string | string[]>): void {
    if (status >= 200) this.start(status, new PlainHeaders(headers))
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
}

/** Headers as undici's parser gives them: names and values as bytes, one after the other. */
class RawHeaders implements TransportHeaders {
  readonly #raw: readonly Uint8Array[]

  constructor(raw: readonly Uint8Array[]) {
    this.#raw = raw
  }

  get(name: string): string | null {
    const values: string[] = []
    for (let i = 0; i < this.#raw.length; i += 2) {
      const field = this.#raw[i] as Uint8Array
      if (field.byteLength === name.length && latin1(field).toLowerCase() === name)
        values.push(this.#value(i))
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
  typeof bytes === 'string'
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
