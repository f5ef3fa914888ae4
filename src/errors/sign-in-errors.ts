import type { callbackReasons, tokenManagerReasons, tokenReasons } from './catalog.ts'
import { type ErrorFacts, type OptionalFacts, Rejection, SdkError } from './sdk-error.ts'

/** Why a callback was rejected. */
export type CallbackReason = keyof typeof callbackReasons

/**
 * The callback of a sign-in was rejected. Respond with {@link status} and a link to sign in again, unless `error` is a
 * fault of the app's configuration, such as `invalid_scope`: see `hint`.
 */
export class CallbackError extends SdkError {
  readonly code = 'callback_refused'
  /** Why the callback was rejected. Stable: branch on it. */
  readonly reason: CallbackReason
  /** The status for your response (contract, section 7). */
  readonly status = 400
  /** The `error` parameter of the callback, such as `access_denied`, if there was one. */
  declare readonly error?: string
  /** What to check, for the developer: the likely cause of a `state_mismatch`, or what to change in the configuration. */
  declare readonly hint?: string

  constructor(facts: ErrorFacts & Pick<CallbackError, 'reason'> & OptionalFacts<CallbackError, 'error' | 'hint'>) {
    super(facts)
    this.reason = facts.reason
    if (facts.error !== undefined) this.error = facts.error
    if (facts.hint !== undefined) this.hint = facts.hint
  }

  override get name() {
    return 'CallbackError' as const
  }
}

/** Why a token was rejected. */
export type TokenValidationReason = keyof typeof tokenReasons

/** A token was rejected. See `reason`. */
export class TokenValidationError extends SdkError {
  readonly code = 'token_refused'
  /** Why the token was rejected. Stable: branch on it. */
  readonly reason: TokenValidationReason
  /** The claim or header member that caused it, if there is one. */
  declare readonly claim?: string

  constructor(facts: ErrorFacts & Pick<TokenValidationError, 'reason'> & OptionalFacts<TokenValidationError, 'claim'>) {
    super(facts)
    this.reason = facts.reason
    if (facts.claim !== undefined) this.claim = facts.claim
  }

  override get name() {
    return 'TokenValidationError' as const
  }
}

/** Creates what a check of a token throws. */
export const tokenRejection = (reason: TokenValidationReason, message: string, claim?: string, cause?: unknown) =>
  new Rejection((operation) => new TokenValidationError({ reason, message: `${operation}: ${message}`, claim, cause }))

/** Why the token manager cannot return an access token. */
export type TokenManagerReason = keyof typeof tokenManagerReasons

/** The token manager cannot return an access token, so that in most cases the person must sign in again. */
export class TokenManagerError extends SdkError {
  readonly code = 'token_manager'
  /** Why there is no access token. Stable: branch on it. */
  readonly reason: TokenManagerReason

  constructor(facts: ErrorFacts & Pick<TokenManagerError, 'reason'>) {
    super(facts)
    this.reason = facts.reason
  }

  override get name() {
    return 'TokenManagerError' as const
  }
}
