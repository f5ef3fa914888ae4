import type { ErrorCode } from '../contract/errors/codes.ts'
import { CallError, type CallFacts } from './call-errors.ts'
import { isSdkError } from './sdk-error.ts'

/** What the service responded. */
export interface ApiErrorFacts {
  readonly status: number
  readonly code: ErrorCode
  readonly message: string
  readonly requestId: string | undefined
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly fieldErrors: Readonly<Record<string, unknown>>
  readonly headers: () => Headers
}

/**
 * The service responded with an error. The subclass is the category, by status. `code` is the cause (contract,
 * section 7).
 */
export class ApiError extends CallError {
  /** The HTTP status. */
  readonly status: number
  /** The service's error code. If the response has none: `http_` and the status, which the service never sends. */
  override readonly code: ErrorCode
  /** Identifies the request in the service's logs. Include it in a support request. */
  declare readonly requestId?: string
  /** True if the same call can succeed later without any change. */
  readonly retryable: boolean
  /** The wait that the service requested, in milliseconds. */
  declare readonly retryAfterMs?: number
  readonly #private: Pick<ApiErrorFacts, 'details' | 'fieldErrors' | 'headers'>

  /** @internal */
  constructor(facts: ApiErrorFacts, call: CallFacts) {
    super(facts.message, call)
    this.status = facts.status
    this.code = facts.code
    if (facts.requestId !== undefined) this.requestId = facts.requestId
    this.retryable = facts.retryable
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs
    this.#private = facts
  }

  override get name(): string {
    return 'ApiError'
  }

  /** Extra members of the response's `error`, such as `status` of `already_decided`. Not logged: may be personal. */
  get details(): Readonly<Record<string, unknown>> {
    return this.#private.details
  }

  /** `data.errors` of the organization API: the errors of each field. Not logged. */
  get fieldErrors(): Readonly<Record<string, unknown>> {
    return this.#private.fieldErrors
  }

  /** The response headers. Not logged. */
  get headers(): Headers {
    return this.#private.headers()
  }
}

/** 400: a parameter is malformed or missing, or a code has expired. */
export class BadRequestError extends ApiError {
  override get name() {
    return 'BadRequestError' as const
  }
}

/** 401: the credentials are missing or wrong. */
export class AuthenticationError extends ApiError {
  override get name() {
    return 'AuthenticationError' as const
  }
}

/** 402: the wallet is empty. */
export class PaymentRequiredError extends ApiError {
  override get name() {
    return 'PaymentRequiredError' as const
  }
}

/** 403: a scope is missing, the app is not permitted, or consent was declined. */
export class PermissionDeniedError extends ApiError {
  override get name() {
    return 'PermissionDeniedError' as const
  }
}

/** 404: the resource does not exist, or belongs to another project. */
export class NotFoundError extends ApiError {
  override get name() {
    return 'NotFoundError' as const
  }
}

/** 409: the current state does not allow the request, or the resource already exists. */
export class ConflictError extends ApiError {
  override get name() {
    return 'ConflictError' as const
  }
}

/** 410: the resource has expired or was removed. */
export class GoneError extends ApiError {
  override get name() {
    return 'GoneError' as const
  }
}

/** 413: an image is too large for the service, or for a proxy in front of it. */
export class PayloadTooLargeError extends ApiError {
  override get name() {
    return 'PayloadTooLargeError' as const
  }
}

/** 422: the input was understood but rejected, for example an image that cannot be read. */
export class UnprocessableError extends ApiError {
  override get name() {
    return 'UnprocessableError' as const
  }
}

/** 423: the resource is locked. */
export class LockedError extends ApiError {
  override get name() {
    return 'LockedError' as const
  }
}

/** 429: too many requests or attempts. */
export class RateLimitError extends ApiError {
  override get name() {
    return 'RateLimitError' as const
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  override get name() {
    return 'ServerError' as const
  }
}

/** Creates an error of the class for its status, or an {@link ApiError} if the status has no class. */
export function apiErrorFor(facts: ApiErrorFacts, call: CallFacts): ApiError {
  switch (facts.status) {
    case 400:
      return new BadRequestError(facts, call)
    case 401:
      return new AuthenticationError(facts, call)
    case 402:
      return new PaymentRequiredError(facts, call)
    case 403:
      return new PermissionDeniedError(facts, call)
    case 404:
      return new NotFoundError(facts, call)
    case 409:
      return new ConflictError(facts, call)
    case 410:
      return new GoneError(facts, call)
    case 413:
      return new PayloadTooLargeError(facts, call)
    case 422:
      return new UnprocessableError(facts, call)
    case 423:
      return new LockedError(facts, call)
    case 429:
      return new RateLimitError(facts, call)
    default:
      return facts.status >= 500 ? new ServerError(facts, call) : new ApiError(facts, call)
  }
}

/**
 * Returns whether an error is a service error with this code. Also works across bundles and realms.
 *
 * @see service contract, section 7
 *
 * @example
 * if (isErrorCode(error, 'already_decided')) console.log(error.details.status)
 */
export function isErrorCode<const Code extends ErrorCode>(
  error: unknown,
  code: Code,
): error is ApiError & { readonly code: Code } {
  return isSdkError(error) && 'status' in error && error.code === code
}
