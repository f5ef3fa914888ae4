import { SdkError } from './sdk-error.ts'

/** The facts about a call that each of its errors contains. */
export interface CallFacts {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Number of attempts, including the current one. 0 means that nothing was sent. */
  readonly attempts: number
  /** The key of a billable call, or the key that the caller passed. */
  readonly idempotencyKey?: string | undefined
}

/** Base class of the errors of a call. */
export abstract class CallError extends SdkError {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Number of attempts. 0 means that nothing was sent. */
  readonly attempts: number
  /** The key of a billable call. Pass it as `idempotencyKey` to retry without a second charge. */
  declare readonly idempotencyKey?: string

  /** @internal */
  constructor(message: string, call: CallFacts, cause?: unknown) {
    super(message, cause)
    this.operation = call.operation
    this.attempts = call.attempts
    if (call.idempotencyKey !== undefined) this.idempotencyKey = call.idempotencyKey
  }
}

/** One invalid param or option of a call. */
export interface ParamIssue {
  /** The field, such as `ttl_seconds` or `members.0.email`. */
  readonly path: string
  /** What is wrong, as the end of a sentence that starts with the path: `must not be empty`. */
  readonly message: string
}

/**
 * The params or options are invalid, and nothing was sent. Also thrown if a stream fails or exceeds the limit while it
 * is sent; the request is then cut off. `issues` names each field.
 */
export class InvalidParamsError extends CallError {
  readonly code = 'invalid_params'
  /** What is wrong with each field. Values are not quoted. */
  readonly issues: readonly ParamIssue[]

  /** @internal */
  constructor(issues: readonly ParamIssue[], call: CallFacts, cause?: unknown) {
    const list = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')
    super(`${call.operation}: ${list}`, call, cause)
    this.issues = issues
  }

  override get name() {
    return 'InvalidParamsError' as const
  }
}

/** Creates the error for one invalid param. `call` is the operation's name if nothing has been sent yet. */
export function badParam(
  call: CallFacts | string,
  path: string,
  message: string,
  cause?: unknown,
): InvalidParamsError {
  const facts = typeof call === 'string' ? { operation: call, attempts: 0 } : call
  return new InvalidParamsError([{ path, message }], facts, cause)
}

/** No response was received: name lookup, connection or TLS failed, or a socket closed early. See `cause`. */
export class ConnectionError extends CallError {
  readonly code = 'connection_failed'
  /** True if the service may have received the request. False only if no byte of it was sent. */
  readonly mayHaveArrived: boolean

  /** @internal */
  constructor(message: string, call: CallFacts, facts: { mayHaveArrived: boolean; cause: unknown }) {
    super(message, call, facts.cause)
    this.mayHaveArrived = facts.mayHaveArrived
  }

  override get name() {
    return 'ConnectionError' as const
  }
}

/** An attempt took longer than `timeoutMs`, or the whole call longer than `deadlineMs`. */
export class TimeoutError extends CallError {
  readonly code = 'timeout'
  /** The limit that was exceeded. */
  readonly limit: 'timeoutMs' | 'deadlineMs'
  /** The value of that limit, in milliseconds. */
  readonly limitMs: number
  /** True if the service may have received the request. False only if no byte of it was sent. */
  readonly mayHaveArrived: boolean

  /** @internal */
  constructor(
    call: CallFacts,
    facts: {
      limit: 'timeoutMs' | 'deadlineMs'
      limitMs: number
      mayHaveArrived: boolean
      cause?: unknown
    },
  ) {
    const what = facts.limit === 'timeoutMs' ? 'an attempt' : 'the call'
    super(`${call.operation}: ${what} outlasted ${facts.limit} (${facts.limitMs} ms)`, call, facts.cause)
    this.limit = facts.limit
    this.limitMs = facts.limitMs
    this.mayHaveArrived = facts.mayHaveArrived
  }

  override get name() {
    return 'TimeoutError' as const
  }
}

/** The caller's `signal` aborted the call. `cause` is the signal's reason. */
export class AbortedError extends CallError {
  readonly code = 'aborted'
  /** True if the service may have received the request. False only if no byte of it was sent. */
  readonly mayHaveArrived: boolean

  /** @internal */
  constructor(call: CallFacts, facts: { mayHaveArrived: boolean; cause: unknown }) {
    super(`${call.operation}: aborted by the caller's signal`, call, facts.cause)
    this.mayHaveArrived = facts.mayHaveArrived
  }

  override get name() {
    return 'AbortedError' as const
  }
}

/** A response is not as documented: a proxy's page, an incomplete body, or data of another shape. */
export class InvalidResponseError extends CallError {
  readonly code = 'invalid_response'
  /** The HTTP status. */
  readonly status: number
  /** Identifies the request in the service's logs. Missing if the response had none. */
  declare readonly requestId?: string
  /** The first 512 characters of the body. Values that may be secret or personal are masked. */
  readonly snippet: string

  /** @internal */
  constructor(
    message: string,
    call: CallFacts,
    facts: {
      status: number
      requestId: string | undefined
      snippet: string
      cause?: unknown
    },
  ) {
    super(`${call.operation}: ${message}`, call, facts.cause)
    this.status = facts.status
    if (facts.requestId !== undefined) this.requestId = facts.requestId
    this.snippet = facts.snippet
  }

  override get name() {
    return 'InvalidResponseError' as const
  }
}

/**
 * A billable request may have reached the service, and no definite response came back. Call again with the same params
 * and `{ idempotencyKey: error.idempotencyKey }` to get the result without a second charge. `cause` is the last
 * failure.
 */
export class OutcomeUnknownError extends CallError {
  readonly code = 'outcome_unknown'
  /** Pass it as `idempotencyKey` to retry the call. */
  declare readonly idempotencyKey: string

  /** @internal */
  constructor(call: CallFacts & { readonly idempotencyKey: string }, cause: unknown) {
    super(
      `${call.operation}: the service may have executed the request. Retry with this error's idempotencyKey to avoid a second charge.`,
      call,
      cause,
    )
  }

  override get name() {
    return 'OutcomeUnknownError' as const
  }
}

/**
 * The client's `spendLimit` stopped a billable call. Nothing was sent, and nothing is charged. Retry after
 * `retryAfterMs`, raise the limit, or add money to the wallet.
 */
export class SpendLimitError extends CallError {
  readonly code = 'spend_limit'
  /** The limit is reached, or the service responded with 402 and the next probe is not due. */
  readonly reason: 'limit_reached' | 'payment_required'
  /** How long to wait before the next call, in milliseconds. */
  readonly retryAfterMs: number

  /** @internal */
  constructor(
    { operation, idempotencyKey }: CallFacts,
    facts: { reason: SpendLimitError['reason']; retryAfterMs: number },
  ) {
    const why =
      facts.reason === 'limit_reached' ? 'the spend limit is reached' : 'the service requires payment (402)'
    super(`${operation}: not sent, because ${why}. Retry in ${facts.retryAfterMs} ms.`, {
      operation,
      attempts: 0,
      idempotencyKey,
    })
    this.reason = facts.reason
    this.retryAfterMs = facts.retryAfterMs
  }

  override get name() {
    return 'SpendLimitError' as const
  }
}
