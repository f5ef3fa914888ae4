import type { AnySdkError } from '../../errors/any-sdk-error.ts'
import { ApiError } from '../../errors/api-errors.ts'
import {
  AbortedError,
  CallError,
  ConnectionError,
  callFacts,
  OutcomeUnknownError,
  outcomeUnknownMessage,
  TimeoutError,
  timeoutMessage,
} from '../../errors/call-errors.ts'
import { factsOfThrown, showsAll } from '../../errors/error-detail.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isDefinite } from '../exchange/doubt.ts'
import { mayHaveExecutedAdvice } from '../exchange/response-errors.ts'
import { UnboundFetch, UnusableResponse } from '../transport/fetch-transport.ts'
import { someCause } from '../transport/never-sent.ts'
import type { Transport } from '../transport/transport.ts'
import type { CallState } from './call-state.ts'

/** Returns the error that the caller gets for the last failure of a call. */
export function finalError(state: CallState, failure: AnySdkError): AnySdkError {
  const { operation, attempts, idempotencyKey } = state
  if (!state.call.endpoint.billable || idempotencyKey === undefined) return failure
  // A 5xx says itself that the outcome is open, unless an attempt got no response at all.
  const isReported =
    isDefinite(failure) || (failure instanceof ApiError && failure.status >= 500 && !state.wasUnanswered)
  if (state.mayHaveArrived && !isReported && !(failure instanceof AbortedError)) {
    const message = outcomeUnknownMessage(state, unknownBecause(failure))
    return new OutcomeUnknownError({ operation, attempts, idempotencyKey, message, cause: failure })
  }
  // An error of the caller's `apiKey` function has no facts of the call yet.
  return failure instanceof CallError ? failure : Object.assign(failure, { idempotencyKey })
}

function notExecuted({ wasSent, isSent }: CallState): string {
  if (isSent) return 'The request was not completed, so the service has not executed it, and you can call again.'
  return `${wasSent ? 'The service has not executed an earlier attempt' : 'Nothing was sent'}, so you can call again.`
}

/** Says why the outcome of a call is unknown: what its last attempt failed with. */
function unknownBecause(failure: AnySdkError): string {
  if (failure instanceof TimeoutError) {
    const { limit, limitMs, cause } = failure
    return cause instanceof ApiError
      ? `no definite response within ${limit} ${limitMs}, the last one was ${cause.status} ${cause.code}`
      : `no response within ${limit} ${limitMs}`
  }
  if (failure instanceof ConnectionError) {
    const code = codeOf(failure.original)
    if (unreadable(failure.original) !== undefined) return 'no readable response'
    return `no response, because the connection failed${code === undefined ? '' : ` with ${code}`}`
  }
  // The words that name what to correct, without the operation.
  if (failure instanceof ConfigurationError && failure.original instanceof UnusableResponse)
    return `no definite response, because ${failure.original.message}. ${whatFetchReturns}`
  const last = failure instanceof ApiError ? `${failure.status} ${failure.code}` : failure.name
  return `no definite response; the last failure is ${last}`
}

/** The error of a call that the caller's signal ended. */
export const abortedError = (state: CallState): AbortedError =>
  new AbortedError({
    ...callFacts(state),
    mayHaveArrived: state.mayHaveArrived,
    cause: state.call.options.signal?.reason,
  })

const advice = ({ call, mayHaveArrived }: CallState) =>
  mayHaveArrived && call.endpoint.replay === 'if-not-executed' ? `. ${mayHaveExecutedAdvice}` : ''

/** The error of an attempt, or of a call, that took longer than its limit. */
export function timeoutError(
  state: CallState,
  exceeded: Pick<TimeoutError, 'limit' | 'limitMs'>,
  cause?: unknown,
): TimeoutError {
  const { attempts, mayHaveArrived, operation } = state
  const limit = `${exceeded.limit} (${exceeded.limitMs} ms)`
  const what =
    attempts === 0
      ? `beforeBillable outlasted ${limit}`
      : state.isCut
        ? `the images were not sent to their end within ${limit}`
        : undefined
  const message =
    what === undefined
      ? timeoutMessage({ operation, ...exceeded }) + advice(state)
      : `${operation}: ${what}${mayHaveArrived ? advice(state) : `. ${notExecuted(state)}`}`
  return new TimeoutError({ ...callFacts(state), ...exceeded, message, mayHaveArrived, cause })
}

/** The error of a call whose deadline has ended, or would end before another attempt. */
export const deadlineError = (state: CallState, limitMs: number | undefined, cause: unknown) =>
  timeoutError(state, { limit: 'deadlineMs', limitMs: limitMs as number }, cause)

/** Where the requests of a client go, for its errors. */
export interface Destination {
  readonly origin: string
  readonly transport: Pick<Transport, 'connectFailure'>
}

/** The error of an attempt that got no response, for what its transport threw. */
export function connectionError(
  state: CallState,
  thrown: unknown,
  { origin, transport }: Destination,
): ConnectionError | ConfigurationError {
  const { errorDetail } = state
  const code = codeOf(thrown)
  const words = code ?? (showsAll(errorDetail) ? wordsOf(thrown) : undefined)
  const shown = words === undefined ? '' : ` (${words})`
  if (code === accessDenied) {
    const message = `${state.operation}: Node's permission model forbids the connection to ${origin}${shown}. Start node with --allow-net.`
    return new ConfigurationError({ message, cause: thrown, errorDetail })
  }
  if (blockedPort.test(wordsOf(thrown) ?? '')) {
    const message = `${state.operation}: fetch blocks the port of ${origin}, as browsers do, so nothing was sent. Use another port.`
    return new ConfigurationError({ message, cause: thrown, errorDetail })
  }
  if (thrown instanceof UnboundFetch) {
    const message = `${state.operation}: the option fetch is a method without its object, so nothing was sent. Pass (url, init) => env.SERVICE.fetch(url, init).`
    return new ConfigurationError({ message, cause: thrown.cause, errorDetail })
  }
  // An incomplete installation looks like a failed connection, because the transport is loaded by the first call.
  if (code !== undefined && notInstalled.includes(code)) {
    const message = `${state.operation}: a module of this package or of undici could not be loaded${shown}, so nothing was sent. Install again. If you bundle or copy files, include it, or leave it external (docs/guides/runtimes.md in the package).`
    return new ConfigurationError({ message, cause: thrown, errorDetail })
  }
  if (thrown instanceof UnusableResponse) {
    const message = `${state.operation}: ${thrown.message}. ${whatFetchReturns}${advice(state)}`
    return new ConfigurationError({ message, cause: thrown, errorDetail })
  }
  // Only an attempt that sent nothing can be blamed on the address. After the first byte, the address was right.
  const response = unreadable(thrown)
  const what = state.isSent
    ? response !== undefined
      ? `${origin} ${response}${shown}${advice(state)}`
      : `the connection to ${origin} broke before the ${state.isCut ? 'request' : 'response'} was complete${shown}${advice(state)}`
    : state.wasSent
      ? `could not connect to ${origin} again${shown}, after an earlier attempt had reached it${advice(state)}`
      : `could not connect to ${transport.connectFailure?.(thrown, shown) ?? `${origin}${shown}. Check baseUrl.`}`
  const sentence = /[.]$/.test(what) ? what : `${what}.`
  const message = `${state.operation}: ${state.mayHaveArrived ? what : `${sentence} ${notExecuted(state)}`}`
  return new ConnectionError({
    ...callFacts(state),
    message,
    mayHaveArrived: state.mayHaveArrived,
    cause: thrown,
  })
}

/** Says what is wrong with a response that undici, and so the `fetch` of Node, cannot read. */
const unreadable = (thrown: unknown): string | undefined =>
  codeOf(thrown) === 'UND_ERR_HEADERS_OVERFLOW'
    ? 'responded with more headers than maxHeaderSize of Node or of your dispatcher'
    : someCause(thrown, ({ name, code }) => name === 'HTTPParserError' && code !== 'HPE_INVALID_EOF_STATE')
      ? 'responded with something that is not valid HTTP/1.1: check baseUrl, and the proxies before it'
      : undefined

const whatFetchReturns =
  'It must return what the global fetch returns, in a test Response.json(body, { status }), and must not read the body: read that of response.clone()'

/** Codes of a module that does not exist: that of `require`, and that of `import`. */
const notInstalled = ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']

/** Code of Node for what its permission model forbids. */
const accessDenied = 'ERR_ACCESS_DENIED'

/** What Node and Deno say of a port that the standard of `fetch` blocks, such as 6000. */
const blockedPort = /^bad port$|Requests to port \d+ are blocked/

/** The message of the innermost cause, such as that of a mock that needs a newer Node. */
function wordsOf(thrown: unknown): string | undefined {
  let error = thrown
  // An error may be its own cause.
  for (let depth = 0; depth < 4 && Object(error).cause instanceof Error; depth++) error = Object(error).cause
  const { message } = Object(error) as { readonly message?: unknown }
  return typeof message === 'string' && message !== '' ? message : undefined
}

/** Global fetch puts the failure of the connection into the cause of what it throws. */
function codeOf(thrown: unknown): string | undefined {
  const { cause } = Object(thrown) as { readonly cause?: unknown }
  return factsOfThrown(thrown).code ?? factsOfThrown(cause).code
}
