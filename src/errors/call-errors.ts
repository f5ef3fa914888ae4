import { type ErrorDetail, factsOfThrown } from './error-detail.ts'
import { addUnprinted, type ErrorFacts, type OptionalFacts, SdkError } from './sdk-error.ts'

/** The facts about a call that each of its errors contains. */
export interface CallFacts {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Number of attempts, including the current one. 0 means that nothing was sent. */
  readonly attempts: number
  /** The key of a billable call, or the key that the caller passed. */
  readonly idempotencyKey?: string | undefined
  /** Whether its errors show what others wrote. @default as `SVC_ERROR_DETAIL` says */
  readonly errorDetail?: ErrorDetail | undefined
}

/** Picks the facts about a call from its state, which has more members. */
export const callFacts = ({ operation, attempts, idempotencyKey, errorDetail }: CallFacts): CallFacts => ({
  operation,
  attempts,
  idempotencyKey,
  errorDetail,
})

/** The facts that an error of a call is constructed from. All of them are optional. */
export interface CallErrorFacts {
  /** What is wrong, and what to do next. @default a sentence that names the other facts */
  readonly message?: string | undefined
  /** The failure that led to this one: an error of this package, or what other code threw. @default none */
  readonly cause?: unknown
  /**
   * Whether `cause` is what other code threw itself, or only its class and its code.
   *
   * @default as `SVC_ERROR_DETAIL` says
   */
  readonly errorDetail?: ErrorDetail | undefined
  /** The method that was called, such as `sessions.create`. @default 'request' */
  readonly operation?: string | undefined
  /** Number of attempts. @default 1; 0 if nothing was sent */
  readonly attempts?: number | undefined
  /** The key of a billable call. @default none */
  readonly idempotencyKey?: string | undefined
}

export const defaultOperation = 'request'

/** Base class of the errors of a call. */
export abstract class CallError extends SdkError {
  /** The method that was called, such as `sessions.create`. */
  readonly operation: string
  /** Number of attempts. 0 means that nothing was sent. */
  readonly attempts: number
  /**
   * The key of a billable call. Pass it as `idempotencyKey` to retry, so that the service can recognize the call.
   */
  declare readonly idempotencyKey?: string

  constructor(facts: CallErrorFacts & ErrorFacts) {
    super(facts)
    this.operation = facts.operation ?? defaultOperation
    this.attempts = facts.attempts ?? 1
    if (facts.idempotencyKey !== undefined) this.idempotencyKey = facts.idempotencyKey
  }

  /** The name of the class. */
  override get name(): string {
    return 'CallError'
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
 * The params or options are invalid, and nothing was sent. Also thrown if a stream exceeds a size limit, or a file
 * changes, while it is sent; the request is then cut off. `issues` names each field.
 */
export class InvalidParamsError extends CallError {
  readonly code = 'invalid_params'
  /** What is wrong with each field. Values are not quoted. */
  readonly issues: readonly ParamIssue[]

  constructor(facts: CallErrorFacts & Pick<InvalidParamsError, 'issues'>) {
    const { issues, operation = defaultOperation, attempts = 0 } = facts
    const list = issues.map((issue) => `${issue.path} ${issue.message}`).join('; ')
    super({ ...facts, attempts, message: facts.message ?? `${operation}: ${list}` })
    this.issues = issues
  }

  override get name() {
    return 'InvalidParamsError' as const
  }
}

/**
 * Creates the error for one invalid param. `call` is the operation's name if nothing has been sent yet. `thrown` is
 * what the caller's code or the platform threw, if anything.
 */
export function invalidParam(
  call: CallFacts | string,
  path: string,
  message: string,
  thrown?: unknown,
): InvalidParamsError {
  const facts = typeof call === 'string' ? { operation: call } : callFacts(call)
  return new InvalidParamsError({ ...facts, issues: [{ path, message }], cause: thrown })
}

/** Returns the message of an {@link ImageReadError}. */
const imageReadMessage = ({ operation = defaultOperation, field, cause }: CallErrorFacts & { field: string }) => {
  const { code } = factsOfThrown(cause)
  const shown = code === undefined ? '' : ` (${code})`
  return `${operation}: ${field} could not be read, because its source failed${shown}. The request was not completed, so the service has not executed it. If a browser uploads the image, it has left. Otherwise, see cause.`
}

/**
 * The source of an image failed: a stream ended with an error, for example because a browser left during the upload, a
 * function threw, or a file could not be read. The request was cut off or not sent, so the service has not executed it,
 * and nothing is charged. If an earlier attempt may have been executed, the error is `OutcomeUnknownError` instead.
 * `cause` is what the source threw.
 */
export class ImageReadError extends CallError {
  readonly code = 'image_read_failed'
  /** The field of the image, such as `front_image`. */
  readonly field: string

  constructor(facts: CallErrorFacts & Pick<ImageReadError, 'field'>) {
    super({ ...facts, message: facts.message ?? imageReadMessage(facts) })
    this.field = facts.field
  }

  override get name() {
    return 'ImageReadError' as const
  }
}

/** Base class of the errors of a call that ended without a response. */
export abstract class UnansweredError extends CallError {
  /**
   * True if the service may have executed an attempt of this call. False if no byte was sent, or if every attempt that
   * was sent got a response which says that it was not executed: a 429, 409 `idempotency_in_progress` or 500
   * `internal_error`.
   */
  readonly mayHaveArrived: boolean

  constructor(facts: CallErrorFacts & ErrorFacts & OptionalFacts<UnansweredError, 'mayHaveArrived'>) {
    super(facts)
    this.mayHaveArrived = facts.mayHaveArrived ?? true
  }
}

/** No response was received: name lookup, connection or TLS failed, or a socket closed early. See `cause`. */
export class ConnectionError extends UnansweredError {
  readonly code = 'connection_failed'

  override get name() {
    return 'ConnectionError' as const
  }
}

/** Returns the message of a {@link TimeoutError}, without advice. */
export const timeoutMessage = ({
  operation,
  limit,
  limitMs,
}: Pick<TimeoutError, 'operation' | 'limit' | 'limitMs'>): string =>
  `${operation}: ${limit === 'timeoutMs' ? 'an attempt' : 'the call'} outlasted ${limit} (${limitMs} ms)`

/** An attempt took longer than `timeoutMs`, or the whole call longer than `deadlineMs`. */
export class TimeoutError extends UnansweredError {
  readonly code = 'timeout'
  /** The limit that was exceeded. */
  readonly limit: 'timeoutMs' | 'deadlineMs'
  /** The value of that limit, in milliseconds. */
  readonly limitMs: number

  constructor(facts: CallErrorFacts & OptionalFacts<TimeoutError, 'limit' | 'limitMs' | 'mayHaveArrived'>) {
    const { operation = defaultOperation, limit = 'timeoutMs', limitMs = 30_000 } = facts
    super({ ...facts, message: facts.message ?? timeoutMessage({ operation, limit, limitMs }) })
    this.limit = limit
    this.limitMs = limitMs
  }

  override get name() {
    return 'TimeoutError' as const
  }
}

/** The caller's `signal` aborted the call. `original` is the signal's reason, and `cause` its class and its code. */
export class AbortedError extends UnansweredError {
  readonly code = 'aborted'

  constructor(facts: CallErrorFacts & OptionalFacts<AbortedError, 'mayHaveArrived'>) {
    const { operation = defaultOperation } = facts
    super({ ...facts, message: facts.message ?? `${operation}: aborted by the caller's signal` })
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
  /**
   * The first 64 KiB of the body, as text. It can be read and is never printed, because it may be secret or personal.
   */
  declare readonly body: string

  constructor(
    facts: CallErrorFacts & ErrorFacts & OptionalFacts<InvalidResponseError, 'status' | 'requestId' | 'body'>,
  ) {
    super(facts)
    this.status = facts.status ?? 200
    if (facts.requestId !== undefined) this.requestId = facts.requestId
    const { body = '' } = facts
    addUnprinted(this, { body: () => body })
  }

  override get name() {
    return 'InvalidResponseError' as const
  }
}

/**
 * Returns the message of an {@link OutcomeUnknownError}.
 *
 * @param failure what happened to the attempts, as the start of a sentence
 */
export const outcomeUnknownMessage = (
  { operation = defaultOperation, attempts = 1 }: CallErrorFacts,
  failure = 'no definite response',
): string =>
  `${operation}: ${failure} (${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}); the service may have executed the request. Retry with the same params and this error's idempotencyKey, so that the service can recognize the call.`

/**
 * A billable request may have reached the service, and no definite response came back. Call again with the same params
 * and `{ idempotencyKey: error.idempotencyKey }`, so that the service can recognize the call. Without the key, it is a
 * new call. What the service charges and returns for a key that it has seen is not in the contract. `cause` is the last
 * failure.
 */
export class OutcomeUnknownError extends CallError {
  readonly code = 'outcome_unknown'
  /** Pass it as `idempotencyKey` to retry the call. */
  declare readonly idempotencyKey: string

  constructor(facts: CallErrorFacts & Pick<OutcomeUnknownError, 'idempotencyKey'>) {
    super({ ...facts, message: facts.message ?? outcomeUnknownMessage(facts) })
  }

  override get name() {
    return 'OutcomeUnknownError' as const
  }
}

/**
 * The `beforeBillable` of the client threw, which stopped a billable call before its first attempt. Nothing was sent, so
 * the call can be made again. `cause` is what it threw: `original` if that was not an error of this package.
 */
export class SpendLimitError extends CallError {
  readonly code = 'spend_limit'
  /** The `spendKey` of the call. It can be read and is never printed, because it may identify a person. */
  declare readonly spendKey?: string

  constructor(facts: CallErrorFacts & OptionalFacts<SpendLimitError, 'spendKey'>) {
    const { operation = defaultOperation, spendKey, cause } = facts
    const { name, code = name } = factsOfThrown(cause)
    const why = cause === undefined ? '' : ` (${code}): see cause`
    const message = `${operation}: beforeBillable stopped the call${why}. Nothing was sent, so you can call again.`
    super({ ...facts, attempts: facts.attempts ?? 0, message: facts.message ?? message })
    if (spendKey !== undefined) addUnprinted(this, { spendKey: () => spendKey })
  }

  override get name() {
    return 'SpendLimitError' as const
  }
}
