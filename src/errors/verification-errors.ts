import type { CheckStatus } from '../contract/verification/check-data.ts'
import type { Check } from '../contract/verification/check-results.ts'
import type { SessionStatus } from '../contract/verification/sessions.ts'
import { SdkError } from './sdk-error.ts'

/** `waitForDecision` ran out of time. The session goes on: wait again, or let the webhook tell. */
export class WaitTimeoutError extends SdkError {
  readonly code = 'wait_timeout'
  /** Which session was waited for. */
  readonly sessionId: string
  /** How long, in milliseconds. */
  readonly timeoutMs: number
  /** Last status seen; missing when no read succeeded. */
  declare readonly lastStatus?: SessionStatus

  /** @internal */
  constructor(facts: {
    /** Which session was waited for. */
    sessionId: string
    /** How long, in milliseconds. */
    timeoutMs: number
    lastStatus: SessionStatus | undefined
    cause?: unknown
  }) {
    super(`no decision within ${facts.timeoutMs} ms`, facts.cause)
    this.sessionId = facts.sessionId
    this.timeoutMs = facts.timeoutMs
    if (facts.lastStatus !== undefined) this.lastStatus = facts.lastStatus
  }

  override get name() {
    return 'WaitTimeoutError' as const
  }
}

/** The session ended without a decision: the person left it, or its time ran out. Create a new one. */
export class SessionEndedError extends SdkError {
  readonly code = 'session_ended'
  /** Which session ended. */
  readonly sessionId: string
  /** `ABANDONED` or `EXPIRED`. */
  readonly status: SessionStatus

  /** @internal */
  constructor(sessionId: string, status: SessionStatus) {
    super(`the session ended as ${status}, without a decision`)
    this.sessionId = sessionId
    this.status = status
  }

  override get name() {
    return 'SessionEndedError' as const
  }
}

/** A check did not pass. Thrown by `assertPassed` only: the calls themselves return failed checks as results. */
export class CheckNotPassedError extends SdkError {
  readonly code = 'check_not_passed'
  /** Type and status of each check that did not pass. */
  readonly failed: readonly { readonly type: string; readonly status: CheckStatus }[]
  readonly #checks: readonly Check[]

  /** @internal */
  constructor(checks: readonly Check[], why: string) {
    super(why)
    this.failed = checks.map(({ type, status }) => ({ type, status }))
    this.#checks = checks
  }

  override get name() {
    return 'CheckNotPassedError' as const
  }

  /** The checks that did not pass, in full. Not logged: they hold personal data. */
  get checks(): readonly Check[] {
    return this.#checks
  }
}
