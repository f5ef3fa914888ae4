import { SdkError } from './sdk-error.ts'

/** Why a delivery was refused. */
export type WebhookRefusal =
  /** A signature header is not there. */
  | 'missing_header'
  /** A header is repeated, spelled twice, or not of its form. */
  | 'malformed_header'
  /** Signed too long ago, or in the future. */
  | 'timestamp_out_of_tolerance'
  /** Not signed with any of the secrets, or changed since. */
  | 'signature_mismatch'
  /** The event id header differs from the signed body. */
  | 'event_id_mismatch'
  /** Signed, and yet no event. */
  | 'invalid_payload'
  /** The body was parsed before it was verified. */
  | 'body_not_raw'
  /** Larger than the handler's `maxBodyBytes`. */
  | 'body_too_large'
  /** The body broke off while it was received. */
  | 'body_incomplete'

/** A webhook delivery that must not be believed: answer 400. */
export class WebhookVerificationError extends SdkError {
  readonly code = 'webhook_refused'
  /** Stable: branch on it. */
  declare readonly reason: WebhookRefusal

  /** @internal */
  constructor(reason: WebhookRefusal, message: string, cause?: unknown) {
    super(message, cause)
    this.reason = reason
  }

  override get name() {
    return 'WebhookVerificationError' as const
  }
}
