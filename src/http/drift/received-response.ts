import type { Endpoint } from '../../contract/endpoint.ts'
import { ApiError } from '../../errors/api-errors.ts'
import { hasNoCode } from '../outcome.ts'

/** Key of the content. It is shared by all copies of the package in a process. */
export const content: unique symbol = /* @__PURE__ */ Symbol.for('identity-service-sdk.response-content')

/** A response, as `onDrift` gets it. A drift recorder compares it with the contract. */
export interface ReceivedResponse {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** The HTTP status. */
  readonly status: number
  /** The code of a service error, if it has the form of one. */
  readonly code?: string | undefined
  /**
   * Not enumerable, because it contains personal data.
   *
   * @internal
   */
  readonly [content]: ResponseContent
}

/** What was received, and what the contract says about it. */
interface ResponseContent {
  readonly endpoint: Endpoint
  /** The payload of a success. */
  readonly data?: unknown
}

/** A response that was read: an `ApiError`, or the payload of a success. */
export type Received = ApiError | { readonly status: number; readonly data: unknown }

/** Describes a response for `onDrift`. */
export function receivedResponse(
  operation: string,
  endpoint: Endpoint,
  received: Received,
): ReceivedResponse {
  const { status } = received
  const isError = received instanceof ApiError
  const code = isError && !hasNoCode(received) ? received.code : undefined
  const value: ResponseContent = isError ? { endpoint } : { endpoint, data: received.data }
  return Object.defineProperty({ operation, status, code }, content, { value }) as unknown as ReceivedResponse
}
