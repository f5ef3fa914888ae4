import { deflateSync, gzipSync } from 'node:zlib'
import type { Fault } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import type { Replay } from './calls.ts'
import { canary, echoOf, responseFields } from './canaries.ts'

/**
 * What a failed attempt says about the execution of the request.
 *
 * - `not-sent`: no byte was sent.
 * - `no-response`: the connection broke before the whole response was received.
 * - `timeout`: the whole response was not received in time.
 * - `ambiguous`: the response does not say whether the request was executed.
 * - `not-executed`: the response says that the request was not executed and can be sent again.
 * - `final`: the response is a definite error.
 * - `unusable`: the response has a success status, and the service cannot have written it.
 */
type Meaning = 'not-sent' | 'no-response' | 'timeout' | 'ambiguous' | 'not-executed' | 'final' | 'unusable'

const everyAttempt = { safe: 3, 'with-key': 3, 'if-not-executed': 3, never: 3, 'one-shot': 1 }
const ifHarmless = { ...everyAttempt, 'if-not-executed': 1, never: 1 }
const one = { safe: 1, 'with-key': 1, 'if-not-executed': 1, never: 1, 'one-shot': 1 }

/** The number of attempts of a call with two retries, by the rules of retries. */
export const attemptsFor: Readonly<Record<Meaning, Readonly<Record<Replay, number>>>> = {
  'not-sent': everyAttempt,
  'no-response': ifHarmless,
  timeout: ifHarmless,
  ambiguous: ifHarmless,
  'not-executed': { ...everyAttempt, never: 1 },
  final: one,
  unusable: one,
}

/** A fault that every attempt meets, and the error of the caller. */
export interface FaultRow {
  readonly fault: string
  readonly meaning: Meaning
  readonly does: Fault
  /** Facts of the error, in addition to those of every error with this meaning. */
  readonly error: { readonly name: string; readonly [fact: string]: unknown }
  /** Waits before the second and the third attempt, in milliseconds. @default [500, 1000] */
  readonly waits?: readonly number[]
}

const requestId = 'req_fault'

/** An error of the service that echoes the whole request, and contains values that no request contains. */
const serviceError =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault['response'] =>
  (request, body) => {
    const { plain, json, inUrl, hex, base64 } = echoOf(request, body)
    const message = `no: ${[json, inUrl, hex, base64, plain].join(' ')}`
    const error = { code, message, echo: plain, ...responseFields }
    const echo = encodeURIComponent(plain).slice(0, 8000)
    return rawResponse(
      status,
      { success: false, data: { errors: { email: plain }, ...responseFields }, error },
      { 'x-secret': canary.responseHeader, 'x-echo': echo, ...headers },
    )
  }

const json = JSON.stringify({
  success: true,
  data: { ...responseFields, status: 'APPROVED' },
  error: null,
})

/** A page that shows the request, like the error page of a proxy for developers. */
const page =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault['response'] =>
  (request, body) => {
    const { plain, json: inJson, inUrl, hex, base64 } = echoOf(request, body)
    return rawResponse(
      status,
      `<html><pre>${[hex, base64, inJson, inUrl, plain].join('\n')}</pre></html>`,
      headers,
    )
  }

const gzip = { 'content-encoding': 'gzip' }
const bomb = gzipSync(Buffer.alloc(4 * 2 ** 20, ' '))
const timeoutError = { name: 'TimeoutError', code: 'timeout', limit: 'timeoutMs' }
const connectionError = { name: 'ConnectionError', code: 'connection_failed' }
const invalidResponse = { name: 'InvalidResponseError', code: 'invalid_response', requestId }
const rateLimited = { name: 'RateLimitError', status: 429, code: 'rate_limited', requestId, retryable: true }

/** A date for `Retry-After`. The clock of a test starts at 2026-01-01 and advances by each wait. */
const date = (afterMs: number) => new Date(Date.UTC(2026, 0, 1) + afterMs).toUTCString()
const rateLimit = (retryAfter: string) => serviceError(429, 'rate_limited', { 'retry-after': retryAfter })

const response = rawResponse(200, json)

const broken = (fault: string, does: Fault): FaultRow => ({
  fault,
  meaning: 'no-response',
  does,
  error: connectionError,
})

/** Faults that end an attempt at once. */
export const quickFaults: readonly FaultRow[] = [
  broken('a reset after the request head', { at: 'request head' }),
  broken('a reset in the request body', { at: 'request body' }),
  broken('a reset after the request', { at: 'request' }),
  broken('a reset after the execution', { at: 'request', forward: true }),
  broken('a close after the request head', { at: 'request head', by: 'close' }),
  broken('a close instead of a response', { at: 'request', by: 'close' }),
  ...(['reset', 'close'] as const).flatMap((by) => [
    broken(`a ${by} in the response head`, { response, at: 'response head', by }),
    broken(`a ${by} in the response body`, { response, at: 'response body', by }),
  ]),
  broken('bytes that are not HTTP', {
    response: Buffer.from(`SSH-2.0 ${canary.responseToken}\r\n\r\n`),
    afterwards: 'close',
  }),
  ...[408, 500, 502, 503, 504].map(
    (status): FaultRow => ({
      fault: `${status}`,
      meaning: 'ambiguous',
      does: { response: serviceError(status, 'engine_down') },
      error: {
        name: status === 408 ? 'ApiError' : 'ServerError',
        status,
        code: 'engine_down',
        requestId,
        retryable: true,
      },
    }),
  ),
  {
    fault: '502 with a page',
    meaning: 'ambiguous',
    does: { response: page(502) },
    error: { name: 'ServerError', status: 502, code: 'http_502', requestId },
  },
  {
    fault: '503 without a body',
    meaning: 'ambiguous',
    does: { response: rawResponse(503) },
    error: { name: 'ServerError', status: 503, code: 'http_503', requestId },
  },
  {
    fault: '503 with a gzip bomb',
    meaning: 'ambiguous',
    does: { response: rawResponse(503, bomb, gzip) },
    error: { name: 'ServerError', status: 503, code: 'http_503', requestId },
  },
  {
    fault: '503 with Retry-After',
    meaning: 'ambiguous',
    does: { response: serviceError(503, 'engine_down', { 'retry-after': '2' }) },
    error: { name: 'ServerError', status: 503, retryAfterMs: 2000 },
    waits: [2000, 2000],
  },
  {
    fault: '500 internal_error',
    meaning: 'not-executed',
    does: { response: serviceError(500, 'internal_error') },
    error: { name: 'ServerError', status: 500, code: 'internal_error', requestId },
  },
  {
    fault: '429',
    meaning: 'not-executed',
    does: { response: serviceError(429, 'rate_limited') },
    error: rateLimited,
  },
  ...(
    [
      [400, 'validation_error', 'BadRequestError'],
      [401, 'invalid_api_key', 'AuthenticationError'],
      [402, 'balance_exhausted', 'PaymentRequiredError'],
      [403, 'forbidden', 'PermissionDeniedError'],
      [404, 'not_found', 'NotFoundError'],
      [409, 'already_decided', 'ConflictError'],
      [413, 'image_too_large', 'PayloadTooLargeError'],
      [422, 'idempotency_key_reused', 'UnprocessableError'],
      [423, 'verification_soft_locked', 'LockedError'],
      [429, 'too_many_attempts', 'RateLimitError'],
      [500, 'misconfigured', 'ServerError'],
      [501, 'not_implemented', 'ServerError'],
      [200, 'liveness_failed', 'ApiError'],
    ] as const
  ).map(
    ([status, code, name]): FaultRow => ({
      fault: `${status} ${code}`,
      // Also for the token endpoint, whose response with success: false contains no tokens but a code.
      meaning: 'final',
      does: { response: serviceError(status, code) },
      error: { name, status, code, requestId, retryable: false },
    }),
  ),
  ...(
    [
      ['a page', page(200)],
      ['a page with the content type of JSON', page(200, { 'content-type': 'application/json' })],
      ['an empty body', rawResponse(200)],
      ['spaces', rawResponse(200, '   ')],
      ['truncated JSON', rawResponse(200, json.slice(0, -30))],
      ['no data', rawResponse(200, { success: true, ...responseFields, access_token: 7 })],
      ['a list', rawResponse(200, [responseFields])],
      ['invalid UTF-8', rawResponse(200, Buffer.concat([Buffer.from(json), Buffer.of(0xff)]))],
      ['JSON that claims to be gzip', rawResponse(200, json, gzip)],
      ['truncated gzip', rawResponse(200, gzipSync(json).subarray(0, 60), gzip)],
      ['a gzip bomb', rawResponse(200, bomb, gzip)],
      [
        'a deflate bomb',
        rawResponse(200, deflateSync(Buffer.alloc(2 ** 22)), { 'content-encoding': 'deflate' }),
      ],
      ['more than maxResponseBytes', rawResponse(200, Buffer.alloc(2 ** 21, ' '))],
      ['the status 204', Buffer.from('HTTP/1.1 204 No Content\r\nx-request-id: req_fault\r\n\r\n')],
    ] as const
  ).map(
    ([what, bytes]): FaultRow => ({
      fault: `a success with ${what}`,
      meaning: 'unusable',
      does: { response: bytes },
      error: { ...invalidResponse, status: what === 'the status 204' ? 204 : 200 },
    }),
  ),
]

/** `Retry-After` in all its forms. */
export const retryAfterFaults: readonly FaultRow[] = [
  ...(
    [
      ['2 seconds', '2', [2000, 2000]],
      ['0', '0', [0, 0]],
      ['60 seconds', '60', [60_000, 60_000]],
      ['a date that is over at the second attempt', date(3000), [3000, 1000]],
      ['a date in the past', date(-3000), [500, 1000]],
      ['a word', 'soon', undefined],
      ['a negative number', '-1', undefined],
      ['a fraction', '1.5', undefined],
      ['an empty value', '', undefined],
    ] as const
  ).map(
    ([what, value, waits]): FaultRow => ({
      fault: `429 with ${what} in Retry-After`,
      meaning: 'not-executed',
      does: { response: rateLimit(value) },
      error: rateLimited,
      ...(waits === undefined ? {} : { waits }),
    }),
  ),
  ...(
    [
      ['61 seconds', '61', 61_000],
      ['an unsafe integer', '9'.repeat(30), Number.MAX_SAFE_INTEGER],
      ['the date of the next day', date(86_400_000), 86_400_000],
    ] as const
  ).map(
    ([what, value, retryAfterMs]): FaultRow => ({
      fault: `429 with ${what} in Retry-After`,
      meaning: 'final',
      does: { response: rateLimit(value) },
      error: { ...rateLimited, retryAfterMs },
    }),
  ),
]

export const redirectStatuses = [301, 302, 303, 307, 308]

/** A redirect to another origin. */
export const redirectTo =
  (location: string) =>
  (status: number): FaultRow => ({
    fault: `${status} to another origin`,
    meaning: 'final',
    does: { response: serviceError(status, 'moved', { location }) },
    error: { name: 'ApiError', status, code: 'moved', requestId },
  })

/** A connection that cannot be established. */
export const unsentFault = (fault: string): FaultRow => ({
  fault,
  meaning: 'not-sent',
  does: {},
  error: connectionError,
})

const stalls: readonly Pick<FaultRow, 'fault' | 'does'>[] = [
  { fault: 'silence after the request head', does: { at: 'request head', by: 'stall' } },
  { fault: 'silence after the request', does: { at: 'request', by: 'stall' } },
  { fault: 'silence after the execution', does: { at: 'request', by: 'stall', forward: true } },
  { fault: 'silence in the response head', does: { response, at: 'response head', by: 'stall' } },
  { fault: 'silence in the response body', does: { response, at: 'response body', by: 'stall' } },
  { fault: 'a trickling response', does: { response, trickle: 'head', everyMs: 1 } },
  { fault: 'a trickling response body', does: { response, trickle: 'body', everyMs: 1 } },
]

/** Faults that only `timeoutMs` ends. */
export const timeoutFaults: readonly FaultRow[] = stalls.map((stall) => ({
  ...stall,
  meaning: 'timeout',
  error: timeoutError,
}))
