import { requestIdHeader } from '../contract/service.ts'
import type { ApiResponse } from './api-promise.ts'
import type { Opened } from './envelope.ts'
import type { TransportAnswer, TransportHeaders } from './transport/transport.ts'

/** The answer as callers see it; its headers are built when somebody looks. */
export class Answer implements ApiResponse {
  readonly status: number
  readonly attempts: number
  readonly #headers: TransportHeaders
  readonly #envelope: Opened['envelope']

  constructor({ status, headers }: TransportAnswer, envelope: Opened['envelope'], attempts: number) {
    this.status = status
    this.attempts = attempts
    this.#headers = headers
    this.#envelope = envelope
  }

  get envelope(): Opened['envelope'] {
    return this.#envelope
  }

  get headers(): Headers {
    return this.#headers.toHeaders()
  }

  get requestId(): string | undefined {
    return this.#headers.get(requestIdHeader) ?? undefined
  }
}
