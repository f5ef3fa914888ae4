import { requestIdHeader } from '../contract/service.ts'
import type { ApiResponse } from './api-promise.ts'
import type { DecodedEnvelope } from './envelope.ts'
import type { TransportHeaders, TransportResponse } from './transport/transport.ts'

/** A response as callers see it. Its `Headers` are created when they are read, because most callers never do. */
export class CallResponse implements ApiResponse {
  readonly status: number
  readonly attempts: number
  readonly #headers: TransportHeaders
  readonly #envelope: DecodedEnvelope['envelope']

  constructor(
    { status, headers }: TransportResponse,
    envelope: DecodedEnvelope['envelope'],
    attempts: number,
  ) {
    this.status = status
    this.attempts = attempts
    this.#headers = headers
    this.#envelope = envelope
  }

  get envelope(): DecodedEnvelope['envelope'] {
    return this.#envelope
  }

  get headers(): Headers {
    return this.#headers.toHeaders()
  }

  get requestId(): string | undefined {
    return this.#headers.get(requestIdHeader) ?? undefined
  }
}
