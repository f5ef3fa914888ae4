import { SdkError } from './sdk-error.ts'

/** What every error of a call tells about it. */
export interface CallFacts {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Attempts made, this one included. 0: nothing was sent. */
  readonly attempts: number
  /** Billable calls: pass it as `idempotencyKey` to ask again without paying twice. */
  readonly idempotencyKey?: string | undefined
}

/** Root of the errors of a call. */
export abstract class CallError extends SdkError {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Attempts made. 0: nothing was sent. */
  readonly attempts: number
  /** Of a billable call: pass it as `idempotencyKey` to ask again without paying twice. */
  declare readonly idempotencyKey?: string

  /** @internal */
  constructor(message: string, call: CallFacts, cause?: unknown) {
    super(message, cause)
    this.operation = call.operation
    this.attempts = call.attempts
    if (call.idempotencyKey !== undefined) this.idempotencyKey = call.idempotencyKey
  }
}

/** One thing wrong with the params or options of a call. */
export interface ParamIssue {
  /** The field, such as `ttl_seconds` or `members.0.email`. */
  readonly path: string
  /** Goes on after the path: `must not be empty`. */
  readonly message: string
}

/**
 * The params cannot be right by the contract, and nothing was sent; or a stream broke, or grew too large,
 * while it was read, and the request was cut off. `issues` names each field.
 */
export class InvalidParamsError extends CallError {
  readonly code = 'invalid_params'
  /** What is wrong, field by field. Values are not quoted. */
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

/** No answer came: name lookup, connection, TLS, or a socket that closed early. `cause` tells which. */
export class ConnectionError extends CallError {
  readonly code = 'connection_failed'
  /** False only when no byte of the request had been sent. */
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

/** An attempt outlasted `timeoutMs`, or the whole call `deadlineMs`. */
export class TimeoutError extends CallError {
  readonly code = 'timeout'
  /** Which of the two limits was met. */
  readonly limit: 'timeoutMs' | 'deadlineMs'
  /** How long that limit was, in milliseconds. */
  readonly limitMs: number
  /** False only when no byte of the request had been sent. */
  readonly mayHaveArrived: boolean

  /** @internal */
  constructor(
    call: CallFacts,
    facts: {
      limit: 'timeoutMs' | 'deadlineMs' /** How long that limit was, in milliseconds. */
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

/** The caller's `signal` ended the call. `cause` is the signal's reason. */
export class AbortedError extends CallError {
  readonly code = 'aborted'
  /** False only when no byte of the request had been sent. */
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

/** An answer came that is none of the service's: a page of a proxy, half a body, data of another shape. */
export class InvalidResponseError extends CallError {
  readonly code = 'invalid_response'
  /** The HTTP status. */
  readonly status: number
  /** Names the request in the service's logs, where the answer had one. */
  declare readonly requestId?: string
  /** The first 512 characters of the body; values that may be secret or personal are masked. */
  readonly snippet: string

  /** @internal */
  constructor(
    message: string,
    call: CallFacts,
    facts: {
      /** The HTTP status. */ status: number /** Names the request in the service's logs, where the answer had one. */
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
 * A billable request may have reached the service, and no definite answer came back. Call again with
 * `{ idempotencyKey: error.idempotencyKey }` and the same params: the service then answers for the same
 * charge. `cause` is the last failure.
 */
export class OutcomeUnknownError extends CallError {
  readonly code = 'outcome_unknown'
  /** Repeat the call with it. */
  declare readonly idempotencyKey: string

  /** @internal */
  constructor(
    call: CallFacts & { /** Repeat the call with it. */ readonly idempotencyKey: string },
    cause: unknown,
  ) {
    super(
      `${call.operation}: the request may have been carried out; repeat it with this error's idempotencyKey to learn its outcome without a second charge`,
      call,
      cause,
    )
  }

  override get name() {
    return 'OutcomeUnknownError' as const
  }
}

/**
 * The client's `spendLimit` held a billable call back. Nothing was sent and nothing is charged: ask again after
 * `retryAfterMs`, or raise the limit, or fill the wallet.
 */
export class SpendLimitError extends CallError {
  readonly code = 'spend_limit'
  /** The limit is used up, or the service has answered 402 and the next try is not due. */
  readonly reason: 'limit_reached' | 'payment_required'
  /** When a call may go again, in milliseconds from now. */
  readonly retryAfterMs: number

  /** @internal */
  constructor(
    { operation, idempotencyKey }: CallFacts,
    facts: { reason: SpendLimitError['reason']; retryAfterMs: number },
  ) {
    const why =
      facts.reason === 'limit_reached' ? 'the spend limit is reached' : 'the service asked for payment (402)'
    super(`${operation}: not sent, since ${why}; next try in ${facts.retryAfterMs} ms`, {
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
