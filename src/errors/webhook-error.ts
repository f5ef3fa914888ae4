import type { webhookReasons } from './catalog.ts'
import { type ErrorFacts, SdkError } from './sdk-error.ts'

/** Why a delivery was rejected. */
export type WebhookVerificationReason = keyof typeof webhookReasons

/** A webhook delivery was rejected; see `reason`. Respond with 400, or with 413 for `body_too_large`. */
export class WebhookVerificationError extends SdkError {
  readonly code = 'webhook_refused'
  /** Why the delivery was rejected. Stable, so you can branch on it. */
  declare readonly reason: WebhookVerificationReason

  constructor(facts: ErrorFacts & Pick<WebhookVerificationError, 'reason'>) {
    super(facts)
    this.reason = facts.reason
  }

  override get name() {
    return 'WebhookVerificationError' as const
  }
}
