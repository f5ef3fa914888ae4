import type { RequestBody } from '../body/body.ts'

/** A request, ready to be sent. */
export interface TransportRequest {
  readonly method: string
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Names and values, alternating. */
  readonly headers: readonly string[]
  readonly body: RequestBody['data']
}

export interface TransportHeaders {
  get(name: string): string | null
  /** Creates `Headers`. Most callers never read them. */
  toHeaders(): Headers
}

/** A response, read to its last byte and decompressed. */
export interface TransportResponse {
  readonly status: number
  readonly headers: TransportHeaders
  readonly body: Uint8Array
}

/** The attempt that a request belongs to, as a transport sees it. */
export interface TransportAttempt {
  /** Why the attempt was ended from outside, if it was. */
  readonly ended: Error | undefined
  /** Calls `stop` when the attempt is ended from outside: at once if it was already. */
  onEnd(stop: (reason: Error) => void): void
  /** Records whether the service may have received bytes of the request. Called before the first byte is sent. */
  markSent(sent?: boolean): void
  /** Records that a success has begun: the service has executed the request, although it may not have read all of it. */
  markAnswered(): void
}

/** Sends a request and reads its response. It validates nothing, follows no redirect and retries nothing. */
export interface Transport {
  /** True if a chunk of a body is still read after the next one was requested. */
  readonly keepsChunks: boolean
  /** Says what failed, as the end of "could not connect to", and what to do. Only the client's own pool knows it. */
  connectFailure?(thrown: unknown, code: string): string | undefined
  /**
   * Ends as soon as the attempt does.
   *
   * @throws {UnreadableResponse} the response has more bytes than allowed, or cannot be decompressed
   * @throws the error of the platform, if there is no response
   */
  send(request: TransportRequest, attempt: TransportAttempt, maxResponseBytes: number): Promise<TransportResponse>
  close(): Promise<void>
}

/** A response that has started and cannot be read to its end. */
export class UnreadableResponse extends Error {
  readonly status: number
  readonly headers: TransportHeaders

  constructor(message: string, response: Pick<TransportResponse, 'status' | 'headers'>) {
    super(message)
    this.status = response.status
    this.headers = response.headers
  }
}

export const responseTooLarge = (maxResponseBytes: number, response: Pick<TransportResponse, 'status' | 'headers'>) =>
  new UnreadableResponse(`the response is larger than maxResponseBytes (${maxResponseBytes})`, response)
