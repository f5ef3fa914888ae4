import type { WebhookResult } from './result.ts'

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
