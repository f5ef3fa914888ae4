import { isSdkError } from '../errors/sdk-error.ts'
import type { WebhookResult } from './handler.ts'

/** An answer to a delivery, for any framework. It says no more than the reason. */
export interface WebhookAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export function answerTo({ status, outcome, error, headers }: WebhookResult): WebhookAnswer {
  const reason = isSdkError(error) && 'reason' in error ? { reason: error.reason } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(outcome === 'rejected' ? { outcome, ...reason } : { outcome }),
  }
}
