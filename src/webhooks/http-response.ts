import { isSdkError } from '../errors/sdk-error.ts'
import type { WebhookResult } from './handler.ts'

/** The response to a delivery, for any framework. It contains no more than the outcome and the reason. */
export interface WebhookHttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function toHttpResponse({ status, outcome, error, headers }: WebhookResult): WebhookHttpResponse {
  const reason = isSdkError(error) && 'reason' in error ? { reason: error.reason } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(outcome === 'rejected' ? { outcome, ...reason } : { outcome }),
  }
}
