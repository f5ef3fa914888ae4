import type { KnownErrorCode } from '../contract/errors/catalog.ts'
import { type ErrorCode, finalCodes } from '../contract/errors/codes.ts'
import { CallError, type CallErrorFacts, defaultOperation } from './call-errors.ts'
import { addUnprinted } from './sdk-error.ts'

/**
 * The facts that an error of the service is constructed from. `code` and `message` are required. The message of the
 * error names the operation, the status, the code and the request too.
 */
export interface ApiErrorFacts extends CallErrorFacts {
  /** The service's error code. */
  readonly code: ErrorCode
  /** The meaning, and the next step. */
  readonly message: string
  /** The message that the service wrote. @default none */
  readonly serviceMessage?: string | undefined
  /** Identifies the request in the service's logs. @default none */
  readonly requestId?: string | undefined
  /**
   * True if the same call can succeed later without any change.
   *
   * @default what the client sets for the status and the code
   */
  readonly retryable?: boolean | undefined
  /** The wait that the service requested, in milliseconds. @default none */
  readonly retryAfterMs?: number | undefined
  /** Extra members of the response's `error`. @default {} */
  readonly details?: Readonly<Record<string, unknown>> | undefined
  /** The `data` of the response, as the organization API sends it next to `error`. @default {} */
  readonly data?: Readonly<Record<string, unknown>> | undefined
  /** `data.errors` of the organization API. @default {} */
  readonly fieldErrors?: Readonly<Record<string, unknown>> | undefined
  /** The response headers, or a function that returns them when they are read. @default none */
  readonly headers?: Headers | Readonly<Record<string, string>> | (() => Headers) | undefined
}

/**
 * The service responded with an error. The subclass is the category, by status. `code` is the cause (contract,
 * section 7).
 */
export class ApiError extends CallError {
  /** The HTTP status. */
  readonly status: number
  /** The service's error code. If the response has none: `http_` and the status, such as `http_502`. */
  override readonly code: ErrorCode
  /** Identifies the request in the service's logs. Include it in a support request. */
  declare readonly requestId?: string
  /** Whether the same call can succeed later without any change. It may be executed twice: see the message. */
  override readonly retryable: boolean
  /** The wait that the service requested, in milliseconds. */
  declare readonly retryAfterMs?: number
  /** The message that the service wrote. It can be read and is never printed, because it may be personal. */
  declare readonly serviceMessage: string | undefined
  /** Extra members of the response's `error`, such as `status` of `already_decided`. Not logged: may be personal. */
  declare readonly details: Readonly<Record<string, unknown>>
  /** The `data` of the response, which the organization API sends next to `error`. Not logged: may be personal. */
  declare readonly data: Readonly<Record<string, unknown>>
  /** `data.errors` of the organization API: the errors of each field. Not logged. */
  declare readonly fieldErrors: Readonly<Record<string, unknown>>
  /** The response headers. Not logged. */
  declare readonly headers: Headers

  constructor(facts: ApiErrorFacts & { readonly status: number }) {
    super({ ...facts, message: messageOf(facts) })
    this.status = facts.status
    this.code = facts.code
    if (facts.requestId !== undefined) this.requestId = facts.requestId
    this.retryable = facts.retryable ?? isRetryable(facts.status, facts.code)
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs
    const { serviceMessage, details = {}, data = {}, fieldErrors = {}, headers } = facts
    addUnprinted(this, {
      serviceMessage: () => serviceMessage,
      details: () => details,
      data: () => data,
      fieldErrors: () => fieldErrors,
      headers: typeof headers === 'function' ? headers : () => new Headers(headers),
    })
  }

  /** The name of the class. `'ApiError'` if the status has no class of its own. */
  override get name(): ApiErrorName {
    return 'ApiError'
  }
}

function messageOf({
  operation = defaultOperation,
  status,
  code,
  message,
  requestId,
}: ApiErrorFacts & { readonly status: number }): string {
  return `${operation}: ${status} ${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`
}

/** An error whose status is always the same. */
interface StatusError<Status extends number> extends ApiError {
  readonly status: Status
}

function classOf<const Status extends number>(status: Status): new (facts: ApiErrorFacts) => StatusError<Status> {
  return class extends ApiError {
    declare readonly status: Status

    constructor(facts: ApiErrorFacts) {
      super({ ...facts, status })
    }
  }
}

/** 400: a parameter is malformed or missing, or a code has expired. */
export class BadRequestError extends /* @__PURE__ */ classOf(400) {
  override get name() {
    return 'BadRequestError' as const
  }
}

/** 401: the credentials are missing or wrong. */
export class AuthenticationError extends /* @__PURE__ */ classOf(401) {
  override get name() {
    return 'AuthenticationError' as const
  }
}

/** 402: the wallet is empty. */
export class PaymentRequiredError extends /* @__PURE__ */ classOf(402) {
  override get name() {
    return 'PaymentRequiredError' as const
  }
}

/** 403: a scope is missing, the app is not permitted, or consent was declined. */
export class PermissionDeniedError extends /* @__PURE__ */ classOf(403) {
  override get name() {
    return 'PermissionDeniedError' as const
  }
}

/** 404: the resource does not exist, or belongs to another project. */
export class NotFoundError extends /* @__PURE__ */ classOf(404) {
  override get name() {
    return 'NotFoundError' as const
  }
}

/** 409: the current state does not allow the request, or the resource already exists. */
export class ConflictError extends /* @__PURE__ */ classOf(409) {
  override get name() {
    return 'ConflictError' as const
  }
}

/** 410: the resource has expired or was removed. */
export class GoneError extends /* @__PURE__ */ classOf(410) {
  override get name() {
    return 'GoneError' as const
  }
}

/** 413: an image is too large for the service, or for a proxy in front of it. */
export class PayloadTooLargeError extends /* @__PURE__ */ classOf(413) {
  override get name() {
    return 'PayloadTooLargeError' as const
  }
}

/** 422: the input was understood but rejected, for example an image that cannot be read. */
export class UnprocessableError extends /* @__PURE__ */ classOf(422) {
  override get name() {
    return 'UnprocessableError' as const
  }
}

/** 423: the resource is locked. */
export class LockedError extends /* @__PURE__ */ classOf(423) {
  override get name() {
    return 'LockedError' as const
  }
}

/** 429: too many requests or attempts. */
export class RateLimitError extends /* @__PURE__ */ classOf(429) {
  override get name() {
    return 'RateLimitError' as const
  }
}

/** 5xx: the service failed. */
export class ServerError extends ApiError {
  /** The HTTP status: at least 500. The contract lists 500, 502 and 503. */
  declare readonly status: 500 | 502 | 503 | (number & {})

  constructor(facts: ApiErrorFacts & { readonly status?: ServerError['status'] | undefined }) {
    super({ ...facts, status: facts.status ?? 500 })
  }

  override get name() {
    return 'ServerError' as const
  }
}

/** Names of {@link ApiError} and its subclasses. */
export type ApiErrorName =
  | 'ApiError'
  | 'BadRequestError'
  | 'AuthenticationError'
  | 'PaymentRequiredError'
  | 'PermissionDeniedError'
  | 'NotFoundError'
  | 'ConflictError'
  | 'GoneError'
  | 'PayloadTooLargeError'
  | 'UnprocessableError'
  | 'LockedError'
  | 'RateLimitError'
  | 'ServerError'

const classByStatus: Readonly<Record<number, new (facts: ApiErrorFacts) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  402: PaymentRequiredError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  413: PayloadTooLargeError,
  422: UnprocessableError,
  423: LockedError,
  429: RateLimitError,
}

/** Creates an error of the class for its status, or an {@link ApiError} if the status has no class. */
export function apiErrorFor(facts: ApiErrorFacts & { readonly status: number }): ApiError {
  const Class = classByStatus[facts.status]
  if (Class) return new Class(facts)
  return facts.status >= 500 ? new ServerError(facts) : new ApiError(facts)
}

/** The 5xx that describe the request: sending the same one again cannot help (RFC 9110, sections 15.6.2 and 15.6.6). */
const finalServerStatuses: ReadonlySet<number> = new Set([501, 505])

/** Whether the service may still have executed a request that got this status. */
export const isOpenStatus = (status: number): boolean =>
  status === 408 || (status >= 500 && status <= 599 && !finalServerStatuses.has(status))

/** An earlier request under the same key is still in progress. */
export const inProgressCode = 'idempotency_in_progress' satisfies KnownErrorCode

/** Whether the same call can succeed later without any change. */
export function isRetryable(status: number, code: string): boolean {
  if (finalCodes.some((final) => final === code)) return false
  return status === 429 || isOpenStatus(status) || code === inProgressCode
}
