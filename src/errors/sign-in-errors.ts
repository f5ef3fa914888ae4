import { SdkError } from './sdk-error.ts'

/** Why a callback cannot be taken. */
export type CallbackRefusal =
  /** The person declined, or the service could not go on: `error` says which. */
  | 'authorization_error'
  | 'missing_code'
  /** Not the answer to this sign-in: a forged or stale callback. */
  | 'state_mismatch'
  | 'issuer_mismatch'
  | 'repeated_parameter'

/** A sign-in callback that must not be followed: answer {@link statusCode}. */
export class CallbackError extends SdkError {
  readonly code = 'callback_refused'
  /** Stable: branch on it. */
  readonly reason: CallbackRefusal
  /** What to answer (contract, section 7). */
  readonly statusCode = 400
  /** The `error` parameter, such as `access_denied`, where there is one. */
  declare readonly error?: string

  /** @internal */
  constructor(reason: CallbackRefusal, message: string, error?: string) {
    super(message)
    this.reason = reason
    if (error !== undefined) this.error = error
  }

  override get name() {
    return 'CallbackError' as const
  }
}

/** Why a token is refused. */
export type TokenRefusal =
  /** No compact JWS: the wrong parts, padding, foreign characters, broken JSON. */
  | 'malformed'
  | 'too_large'
  | 'encrypted'
  | 'duplicate_member'
  /** Anything but RS256. */
  | 'unsupported_algorithm'
  /** `crit`, or a key or the address of one in the header. */
  | 'forbidden_header'
  /** The `typ` of another kind of token. */
  | 'unexpected_type'
  /** The key set could not be read, and no key known before fits. */
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

/** A token that must not be believed. */
export class TokenValidationError extends SdkError {
  readonly code = 'token_refused'
  /** Stable: branch on it. */
  readonly reason: TokenRefusal
  /** The claim or header member at fault, where it is one. */
  declare readonly claim?: string

  /** @internal */
  constructor(reason: TokenRefusal, message: string, facts: { claim?: string; cause?: unknown } = {}) {
    super(message, facts.cause)
    this.reason = reason
    if (facts.claim !== undefined) this.claim = facts.claim
  }

  override get name() {
    return 'TokenValidationError' as const
  }
}

/** Why the token manager has no token to give. */
export type TokenManagerFailure =
  /** Nothing is kept under this key: nobody signed in, or they signed out. */
  | 'not_found'
  /** The refresh token is spent, revoked or missing, or what came for it must not be believed. */
  | 'refresh_rejected'
  /** The refresh token may be spent, and what came for it is lost: presenting it again could revoke everything. */
  | 'refresh_outcome_unknown'
  /** What is kept was not sealed for this key with one of the manager's encryption keys. */
  | 'undecryptable'

/** No access token can be given, and no repeat of the call will change that: sign the person in again. */
export class TokenManagerError extends SdkError {
  readonly code = 'token_manager'
  /** Stable: branch on it. */
  readonly reason: TokenManagerFailure

  /** @internal */
  constructor(reason: TokenManagerFailure, message: string, cause?: unknown) {
    super(message, cause)
    this.reason = reason
  }

  override get name() {
    return 'TokenManagerError' as const
  }
}
