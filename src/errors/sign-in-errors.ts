import { type ErrorFacts, type OptionalFacts, SdkError } from './sdk-error.ts'

/** Why a callback was rejected. */
export type CallbackReason =
  /** The person declined, or the service could not continue. `error` contains the service's code. */
  | 'authorization_error'
  | 'missing_code'
  /** The callback does not belong to this sign-in: it is forged or stale. */
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'repeated_parameter'

/** The callback of a sign-in was rejected. Respond with {@link status} and a link to sign in again. */
export class CallbackError extends SdkError {
  readonly code = 'callback_refused'
  /** Why the callback was rejected. Stable: branch on it. */
  readonly reason: CallbackReason
  /** The status for your response (contract, section 7). */
  readonly status = 400
  /** The `error` parameter of the callback, such as `access_denied`, if there was one. */
  declare readonly error?: string
  /** What to check, for the developer: the likely cause of a `state_mismatch`. */
  declare readonly hint?: string

  constructor(
    facts: ErrorFacts & Pick<CallbackError, 'reason'> & OptionalFacts<CallbackError, 'error' | 'hint'>,
  ) {
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
export type TokenValidationReason =
  /** Not a compact JWS: wrong number of parts, padding, characters outside base64url, or invalid JSON. */
  | 'malformed'
  | 'too_large'
  | 'encrypted'
  | 'duplicate_member'
  /** Any algorithm other than RS256. */
  | 'unsupported_algorithm'
  /** The header has `crit`, a key, or the URL of a key. */
  | 'forbidden_header'
  /** The `typ` of another kind of token. */
  | 'unexpected_type'
  /** The key set could not be fetched, and no key of an earlier fetch matches. */
  | 'keys_unavailable'
  | 'key_not_found'
  | 'weak_key'
  | 'signature_mismatch'
  | 'missing_claim'
  | 'malformed_claim'
  | 'issuer_mismatch'
  | 'audience_mismatch'
  | 'authorized_party_mismatch'
  | 'expired'
  | 'not_yet_valid'
  | 'issued_in_future'
  | 'nonce_mismatch'
  | 'access_token_mismatch'
  | 'subject_mismatch'
  | 'missing_scope'

/** A token was rejected. See `reason`. */
export class TokenValidationError extends SdkError {
  readonly code = 'token_refused'
  /** Why the token was rejected. Stable: branch on it. */
  readonly reason: TokenValidationReason
  /** The claim or header member that caused it, if there is one. */
  declare readonly claim?: string

  constructor(
    facts: ErrorFacts & Pick<TokenValidationError, 'reason'> & OptionalFacts<TokenValidationError, 'claim'>,
  ) {
    super(facts)
    this.reason = facts.reason
    if (facts.claim !== undefined) this.claim = facts.claim
  }

  override get name() {
    return 'TokenValidationError' as const
  }
}

/** Why the token manager cannot return an access token. */
export type TokenManagerReason =
  /** No tokens are stored under this key: the person has not signed in, or has signed out. */
  | 'not_found'
  /** The refresh token was used, revoked or is missing, or the tokens that it returned were rejected. */
  | 'refresh_rejected'
  /**
   * The refresh token may have been used, and the tokens that it returned are lost. It is not sent again, because that
   * could revoke all refresh tokens of the person and client. Only if the process that sent it was paused can a later
   * call succeed.
   */
  | 'refresh_outcome_unknown'
  /** The stored value was not encrypted for this key with one of the manager's encryption keys. */
  | 'undecryptable'

/** The token manager cannot return an access token: the person must sign in again. */
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
