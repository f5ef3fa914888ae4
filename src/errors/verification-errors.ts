import { isJsonObject } from '../contract/schema/schema.ts'
import type { CheckStatus } from '../contract/verification/check-data.ts'
import type { Check } from '../contract/verification/check-results.ts'
import type { endedStatuses, SessionStatus } from '../contract/verification/session-status.ts'
import { notVerifiedReasons } from './catalog.ts'
import { retryIn } from './retry-in.ts'
import { addUnprinted, type ErrorFacts, type OptionalFacts, SdkError } from './sdk-error.ts'

/** `waitForDecision` ran out of time. The session itself continues: wait again, or handle the webhook. */
export class WaitTimeoutError extends SdkError {
  readonly code = 'wait_timeout'
  /** The id of the session. */
  readonly sessionId: string
  /** The limit that was reached, in milliseconds. */
  readonly timeoutMs: number
  /** The last status that was read. Missing if no read succeeded. */
  declare readonly lastStatus?: SessionStatus

  constructor(
    facts: OptionalFacts<ErrorFacts, 'message' | 'cause'> &
      Pick<WaitTimeoutError, 'sessionId'> &
      OptionalFacts<WaitTimeoutError, 'timeoutMs' | 'lastStatus'>,
  ) {
    const { timeoutMs = 600_000, cause } = facts
    const message = `sessions.waitForDecision: no decision within ${timeoutMs} ms. Wait again, or handle the webhook.`
    super({ message: facts.message ?? message, cause })
    this.sessionId = facts.sessionId
    this.timeoutMs = timeoutMs
    if (facts.lastStatus !== undefined) this.lastStatus = facts.lastStatus
  }

  override get name() {
    return 'WaitTimeoutError' as const
  }
}

/** The session ended without a decision: it was abandoned, or it expired. Create a new session. */
export class SessionEndedError extends SdkError {
  readonly code = 'session_ended'
  /** The id of the session. */
  readonly sessionId: string
  /** `ABANDONED` or `EXPIRED`. */
  readonly status: (typeof endedStatuses)[number]

  constructor(facts: OptionalFacts<ErrorFacts, 'message' | 'cause'> & Pick<SessionEndedError, 'sessionId' | 'status'>) {
    const { sessionId, status, cause } = facts
    const message = `sessions.waitForDecision: the session ended without a decision (${status}). Create a new session.`
    super({ message: facts.message ?? message, cause })
    this.sessionId = sessionId
    this.status = status
  }

  override get name() {
    return 'SessionEndedError' as const
  }
}

/** Why `ensureApproved` of a verification manager does not return: the state, or what the approval lacks. */
export type NotVerifiedReason = keyof typeof notVerifiedReasons

/** The person is not verified as required. Thrown by a verification manager. */
export class NotVerifiedError extends SdkError {
  readonly code = 'not_verified'
  /** Why. Stable: branch on it. */
  readonly reason: NotVerifiedReason

  constructor(facts: OptionalFacts<ErrorFacts, 'message' | 'cause'> & Pick<NotVerifiedError, 'reason'>) {
    const { reason, cause } = facts
    super({
      message:
        facts.message ??
        `verifications.ensureApproved: the person is not verified (${reason}). ${notVerifiedReasons[reason][0]}`,
      cause,
    })
    this.reason = reason
  }

  override get name() {
    return 'NotVerifiedError' as const
  }
}

/** A start would exceed the `limit` of the verification manager, so no session was created. */
export class VerificationLimitError extends SdkError {
  readonly code = 'verification_limit'
  /** The time until another session can be created, in milliseconds. */
  override readonly retryAfterMs: number

  constructor(facts: OptionalFacts<ErrorFacts, 'message' | 'cause'> & Pick<VerificationLimitError, 'retryAfterMs'>) {
    const { retryAfterMs, cause } = facts
    const message = `verifications.start: the limit of sessions for this subject is reached. ${retryIn(retryAfterMs)}, or set the option limit of the manager.`
    super({ message: facts.message ?? message, cause })
    this.retryAfterMs = retryAfterMs
  }

  override get name() {
    return 'VerificationLimitError' as const
  }
}

/** Returns the bands of an age check that the service did not decide. */
export function unknownBands({ type, data }: Check): string[] {
  const { bands } = Object(type === 'age' ? data : undefined) as { readonly bands?: unknown }
  const isUnknown = (result: unknown) => isJsonObject(result) && result.verified === null
  return Object.entries(isJsonObject(bands) ? bands : {}).flatMap(([band, result]) => (isUnknown(result) ? [band] : []))
}

/** A check did not pass. Only `assertPassed` throws it. The calls themselves return failed checks as results. */
export class CheckNotPassedError extends SdkError {
  readonly code = 'check_not_passed'
  /** Each check that did not pass. */
  readonly failed: readonly {
    /** The type of the check. */
    readonly type: string
    /** The status of the check. */
    readonly status: CheckStatus
    /**
     * Bands of an age check that the service could not read or cannot decide. Their failure does not mean that the
     * person is too young.
     */
    readonly unknownBands?: readonly string[]
  }[]
  /** The checks that did not pass, with their data. Never logged, because they contain personal data. */
  declare readonly checks: readonly Check[]

  constructor(facts: ErrorFacts & Pick<CheckNotPassedError, 'checks'>) {
    super(facts)
    this.failed = facts.checks.map((check) => {
      const bands = unknownBands(check)
      return { type: check.type, status: check.status, ...(bands.length > 0 && { unknownBands: bands }) }
    })
    const { checks } = facts
    addUnprinted(this, { checks: () => checks })
  }

  override get name() {
    return 'CheckNotPassedError' as const
  }
}
