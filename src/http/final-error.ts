import {
  AbortedError,
  CallError,
  ConnectionError,
  OutcomeUnknownError,
  TimeoutError,
} from '../errors/call-errors.ts'
import { plainCause } from '../errors/cause.ts'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { Attempt, Deadline } from './attempt.ts'
import type { Call } from './call.ts'
import { redactText } from './redaction/redact.ts'
import { isDefinite, isRejectedBeforeKeyCheck } from './retry.ts'

/** What a caller is told in the end. */
export function finalError(call: Call, failure: unknown): SdkError {
  if (!isSdkError(failure)) throw failure
  const { operation, attempts, idempotencyKey } = call
  if (!call.endpoint.billable || idempotencyKey === undefined) return failure
  const isOpen = call.unclear ? !isDefinite(failure) : call.undecided && isRejectedBeforeKeyCheck(failure)
  if (isOpen && !(failure instanceof AbortedError)) {
    return new OutcomeUnknownError({ operation, attempts, idempotencyKey }, failure)
  }
  // Credentials that fail know nothing of the call that they fail.
  return failure instanceof CallError ? failure : Object.assign(failure, { idempotencyKey })
}

/** The deadline would end, or has ended, before another attempt. */
export const deadlineError = (call: Call, deadline: Deadline, cause: unknown) =>
  new TimeoutError(call, {
    limit: 'deadlineMs',
    limitMs: deadline.deadlineMs as number,
    mayHaveArrived: call.mayHaveArrived,
    cause,
  })

/** What a transport threw, where no answer came. */
export function connectionError(thrown: unknown, call: Call, attempt: Attempt): ConnectionError {
  const mayHaveArrived = attempt.mayHaveArrived || call.mayHaveArrived
  const cause = plainCause(thrown, (message) => redactText(message, call.secrets()))
  const code = codeOf(cause as Coded)
  const when = attempt.mayHaveArrived ? 'broke before the answer was complete' : 'could not be made'
  const message = `${call.operation}: the connection ${when}${code === undefined ? '' : ` (${code})`}`
  return new ConnectionError(message, call, { mayHaveArrived, cause })
}

type Coded = { readonly code?: string; readonly cause?: unknown } | undefined

/** Global fetch puts what happened into the cause of what it throws. */
const codeOf = (cause: Coded): string | undefined => cause && (cause.code ?? codeOf(cause.cause as Coded))
