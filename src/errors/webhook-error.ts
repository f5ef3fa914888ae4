import { type ErrorFacts, SdkError } from './sdk-error.ts'

/** Why a delivery was rejected. */
export type WebhookVerificationReason =
  /** A signature header is missing. */
  | 'missing_header'
  /** A header was sent twice, has two spellings, or is malformed. */
  | 'malformed_header'
  /** The timestamp is too far in the past or in the future. */
  | 'timestamp_out_of_tolerance'
  /** The delivery was signed with another secret, or changed afterwards. */
  | 'signature_mismatch'
  /** The signature is valid, but the payload is not an event. */
  | 'invalid_payload'
  /** The body was parsed before it was verified. */
  | 'body_not_raw'
  /** The body is larger than the handler's `maxBodyBytes`. */
  | 'body_too_large'
  /** The connection was closed before the whole body was received. */
  | 'body_incomplete'

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
