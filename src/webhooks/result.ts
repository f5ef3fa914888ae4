import type { WebhookEvent } from '../contract/webhooks/events.ts'
import type { WebhookVerificationError } from '../errors/webhook-error.ts'

/** The event is handled, now or earlier, or it needs no callback. */
export interface WebhookHandledResult<Outcome extends 'processed' | 'duplicate' | 'test' | 'unhandled'> {
  /** Status of the response. */
  readonly status: 200
  /**
   * `processed`: the callback or the consumers ran. `duplicate`: the event was handled before. `test`: a test event of
   * the console. `unhandled`: `on` has no callback for it, and there are no consumers.
   */
  readonly outcome: Outcome
  /** The event. */
  readonly event: WebhookEvent
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
}

/** Another process is handling the event. */
export interface WebhookInProgressResult {
  /** Status of the response. */
  readonly status: 503
  /** The outcome in one word. */
  readonly outcome: 'in_progress'
  /** The event. */
  readonly event: WebhookEvent
  /** Headers of the response: when to send the event again, in whole seconds. */
  readonly headers: Readonly<Record<'retry-after', string>>
}

/** The delivery was rejected. */
export interface WebhookRejectedResult {
  /** Status of the response. 413 if the body is larger than `maxBodyBytes`. */
  readonly status: 400 | 413
  /** The outcome in one word. */
  readonly outcome: 'rejected'
  /** Why the delivery was rejected. */
  readonly error: WebhookVerificationError
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
}

/** A callback or a consumer threw, or the clock or the headers that you passed threw. */
export interface WebhookFailedResult {
  /** Status of the response. */
  readonly status: 500
  /** The outcome in one word. */
  readonly outcome: 'failed'
  /** What was thrown. */
  readonly error: unknown
  /** The event. `undefined` if it was not read yet. */
  readonly event: WebhookEvent | undefined
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string>>
}

/** The store failed and no callback ran, or a callback or a consumer threw a `StoreError`. */
export interface WebhookStoreFailedResult {
  /** Status of the response. */
  readonly status: 503
  /** The outcome in one word. */
  readonly outcome: 'failed'
  /** What was thrown. */
  readonly error: unknown
  /** The event. */
  readonly event: WebhookEvent
  /** Headers of the response: when to send the event again, in whole seconds. */
  readonly headers: Readonly<Record<'retry-after', string>>
}

/** The outcome of a delivery: a union discriminated by `outcome`. Every member has `status` and `headers`. */
export type WebhookResult =
  | WebhookHandledResult<'processed'>
  | WebhookHandledResult<'duplicate'>
  | WebhookHandledResult<'test'>
  | WebhookHandledResult<'unhandled'>
  | WebhookInProgressResult
  | WebhookRejectedResult
  | WebhookFailedResult
  | WebhookStoreFailedResult

/** The response to a delivery, for any framework. It contains no more than the outcome and the reason. */
export interface WebhookHttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function toHttpResponse(result: WebhookResult): WebhookHttpResponse {
  const { status, outcome, headers } = result
  const reason = result.outcome === 'rejected' ? { reason: result.error.reason } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify({ outcome, ...reason }),
  }
}
