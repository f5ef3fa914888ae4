import type { Attempt } from '../attempt.ts'

/** A request, ready to go. */
export interface TransportRequest {
  readonly method: string
  readonly origin: string
  /** Path and query. */
  readonly path: string
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined
}

export interface TransportHeaders {
  get(name: string): string | null
  /** Made when somebody asks: most callers never do. */
  toHeaders(): Headers
}

/** An answer, read to its last byte and decompressed. */
export interface TransportResponse {
  readonly status: number
  readonly headers: TransportHeaders
  readonly body: Uint8Array
}

/** What sends a request and reads its answer. It judges nothing, follows nothing and repeats nothing. */
export interface Transport {
  /** Whether a chunk of a body is still looked at after the next one was asked for. */
  readonly keepsChunks: boolean
  /**
   * Ends as soon as the attempt does.
   *
   * @throws {AnswerTooLarge} more bytes than allowed
   * @throws {UnreadableResponse} bytes that cannot be decompressed
   * @throws whatever the platform throws when no answer came
   */
  send(request: TransportRequest, attempt: Attempt, maxResponseBytes: number): Promise<TransportResponse>
  close(): Promise<void>
}

/** An answer that was begun and cannot be handed on. */
export class UnreadableResponse extends Error {
  readonly status: number
  readonly headers: TransportHeaders

  constructor(message: string, answer: Pick<TransportResponse, 'status' | 'headers'>) {
    super(message)
    this.status = answer.status
    this.headers = answer.headers
  }
}

export const responseTooLarge = (
  maxResponseBytes: number,
  answer: Pick<TransportResponse, 'status' | 'headers'>,
) => new UnreadableResponse(`the answer is larger than maxResponseBytes (${maxResponseBytes})`, answer)
