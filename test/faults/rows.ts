import { deflateSync, gzipSync } from 'node:zlib'
import type { Fault } from '../support/fault-proxy.ts'
import { rawResponse } from '../support/http-message.ts'
import { answered, canary, echoOf } from './canaries.ts'
import type { Replay } from './kinds.ts'

/**
 * What a failure tells: nothing was sent; no answer came, or none in time; an answer that leaves the outcome
 * open; an answer that puts the call off; one that is final; one that is none of the service's.
 */
export type Tells = 'unsent' | 'unanswered' | 'late' | 'open' | 'put off' | 'final' | 'unusable'

/** Attempts of a call that may be made three times: behaviour.md, "Retries", written out. */
export const attemptsFor: Readonly<Record<Tells, Readonly<Record<Replay, number>>>> = {
  unsent: { safe: 3, 'with-key': 3, 'if-not-executed': 3, never: 3, 'one-shot': 1 },
  unanswered: { safe: 3, 'with-key': 3, 'if-not-executed': 1, never: 1, 'one-shot': 1 },
  late: { safe: 3, 'with-key': 3, 'if-not-executed': 1, never: 1, 'one-shot': 1 },
  open: { safe: 3, 'with-key': 3, 'if-not-executed': 1, never: 1, 'one-shot': 1 },
  'put off': { safe: 3, 'with-key': 3, 'if-not-executed': 3, never: 1, 'one-shot': 1 },
  final: { safe: 1, 'with-key': 1, 'if-not-executed': 1, never: 1, 'one-shot': 1 },
  unusable: { safe: 1, 'with-key': 1, 'if-not-executed': 1, never: 1, 'one-shot': 1 },
}

/** A fault that meets every attempt, and what the caller is told of it. */
export interface Row {
  readonly fault: string
  readonly tells: Tells
  readonly does: Fault
  /** What the error says beside what every error of its sort does. */
  readonly error: { readonly name: string; readonly [fact: string]: unknown }
  /** Waits before the second and the third attempt. @default [500, 1000], in ms */
  readonly waits?: readonly number[]
}

const requestId = 'req_fault'

/** An error of the service that repeats all that the request carried, and holds what only an answer holds. */
const failing =
  (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Fault['response'] =>
  (request, body) => {
    const { plain, json, inUrl, hex, base64 } = echoOf(request, body)
    const message = `no: ${[json, inUrl, hex, base64, plain].join(' ')}`
    const error = { code, message, echo: plain, ...answered }
    return rawResponse(
      status,
      { success: false, data: { errors: { email: plain }, ...answered }, error },
      { 'x-answered': canary.answeredHeader, 'x-echo': encodeURIComponent(plain).slice(0, 8000), ...headers },
    )
  }

const holding = JSON.stringify({ success: true, data: { ...answered, status: 'APPROVED' }, error: null })

/** A page that shows the request, as a proxy's page for developers does. */
const page =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault['response'] =>
  (request, body) => {
    const { plain, json, inUrl, hex, base64 } = echoOf(request, body)
    return rawResponse(
      status,
      `<html><pre>${[hex, base64, json, inUrl, plain].join('\n')}</pre></html>`,
      headers,
    )
  }

const gzip = { 'content-encoding': 'gzip' }
const bomb = gzipSync(Buffer.alloc(4 * 2 ** 20, ' '))
const late = { name: 'TimeoutError', code: 'timeout', limit: 'timeoutMs' }
const broken = { name: 'ConnectionError', code: 'connection_failed' }
const unusable = { name: 'InvalidResponseError', code: 'invalid_response', requestId }
const busy = { name: 'RateLimitError', status: 429, code: 'rate_limited', requestId, retryable: true }

/** The clock of a test starts at 2026-01-01 and moves on by each wait. */
const date = (afterMs: number) => new Date(Date.UTC(2026, 0, 1) + afterMs).toUTCString()
const putOff = (retryAfter: string) => failing(429, 'rate_limited', { 'retry-after': retryAfter })

const answer = rawResponse(200, holding)

export const quickRows: readonly Row[] = [
  { fault: 'a reset after the head', tells: 'unanswered', does: { at: 'request head' }, error: broken },
  { fault: 'a reset within the body', tells: 'unanswered', does: { at: 'request body' }, error: broken },
  { fault: 'a reset after the request', tells: 'unanswered', does: { at: 'request' }, error: broken },
  {
    fault: 'a reset after the work',
    tells: 'unanswered',
    does: { at: 'request', forward: true },
    error: broken,
  },
  {
    fault: 'a close after the head',
    tells: 'unanswered',
    does: { at: 'request head', by: 'close' },
    error: broken,
  },
  {
    fault: 'a close in place of an answer',
    tells: 'unanswered',
    does: { at: 'request', by: 'close' },
    error: broken,
  },
  ...(['reset', 'close'] as const).flatMap((by): Row[] => [
    {
      fault: `a ${by} within the head of the answer`,
      tells: 'unanswered',
      does: { response: answer, at: 'answer head', by },
      error: broken,
    },
    {
      fault: `a ${by} within the answer`,
      tells: 'unanswered',
      does: { response: answer, at: 'answer body', by },
      error: broken,
    },
  ]),
  {
    fault: 'bytes that are not HTTP',
    tells: 'unanswered',
    does: { response: Buffer.from(`SSH-2.0 ${canary.answeredToken}\r\n\r\n`), afterwards: 'close' },
    error: broken,
  },
  ...[408, 500, 502, 503, 504].map(
    (status): Row => ({
      fault: `${status}`,
      tells: 'open',
      does: { response: failing(status, 'engine_down') },
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
    tells: 'open',
    does: { response: page(502) },
    error: { name: 'ServerError', status: 502, code: 'http_502', requestId },
  },
  {
    fault: '503 with nothing',
    tells: 'open',
    does: { response: rawResponse(503) },
    error: { name: 'ServerError', status: 503, code: 'http_503', requestId },
  },
  {
    fault: '503 with a gzip bomb',
    tells: 'open',
    does: { response: rawResponse(503, bomb, gzip) },
    error: { name: 'ServerError', status: 503, code: 'http_503', requestId },
  },
  {
    fault: '503 with Retry-After',
    tells: 'open',
    does: { response: failing(503, 'engine_down', { 'retry-after': '2' }) },
    error: { name: 'ServerError', status: 503, retryAfterMs: 2000 },
    waits: [2000, 2000],
  },
  {
    fault: '500 internal_error',
    tells: 'put off',
    does: { response: failing(500, 'internal_error') },
    error: { name: 'ServerError', status: 500, code: 'internal_error', requestId },
  },
  { fault: '429', tells: 'put off', does: { response: failing(429, 'rate_limited') }, error: busy },
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
    ([status, code, name]): Row => ({
      fault: `${status} ${code}`,
      // A bare answer with success: false is no token answer at all, and still tells its code.
      tells: 'final',
      does: { response: failing(status, code) },
      error: { name, status, code, requestId, retryable: false },
    }),
  ),
  ...(
    [
      ['a page', page(200)],
      ['a page that is said to be JSON', page(200, { 'content-type': 'application/json' })],
      ['an empty answer', rawResponse(200)],
      ['spaces', rawResponse(200, '   ')],
      ['half of its JSON', rawResponse(200, holding.slice(0, -30))],
      ['no data', rawResponse(200, { success: true, ...answered, access_token: 7 })],
      ['a list', rawResponse(200, [answered])],
      ['invalid UTF-8', rawResponse(200, Buffer.concat([Buffer.from(holding), Buffer.of(0xff)]))],
      ['gzip that is none', rawResponse(200, holding, gzip)],
      ['gzip that is cut short', rawResponse(200, gzipSync(holding).subarray(0, 60), gzip)],
      ['a gzip bomb', rawResponse(200, bomb, gzip)],
      [
        'a deflated bomb',
        rawResponse(200, deflateSync(Buffer.alloc(2 ** 22)), { 'content-encoding': 'deflate' }),
      ],
      ['more bytes than are read', rawResponse(200, Buffer.alloc(2 ** 21, ' '))],
      ['204', Buffer.from('HTTP/1.1 204 No Content\r\nx-request-id: req_fault\r\n\r\n')],
    ] as const
  ).map(
    ([what, bytes]): Row => ({
      fault: `200 with ${what}`,
      tells: 'unusable',
      does: { response: bytes },
      error: { ...unusable, status: what === '204' ? 204 : 200 },
    }),
  ),
]

/** `Retry-After` in all its forms. */
export const waitRows: readonly Row[] = [
  ...(
    [
      ['2 seconds', '2', [2000, 2000]],
      ['0', '0', [0, 0]],
      ['60 seconds', '60', [60_000, 60_000]],
      ['a date, which then has passed', date(3000), [3000, 0]],
      ['a date that has passed', date(-3000), [0, 0]],
      ['no time at all', 'soon', undefined],
      ['a negative number', '-1', undefined],
      ['a fraction', '1.5', undefined],
      ['nothing', '', undefined],
    ] as const
  ).map(
    ([what, value, waits]): Row => ({
      fault: `429 with a Retry-After of ${what}`,
      tells: 'put off',
      does: { response: putOff(value) },
      error: busy,
      ...(waits === undefined ? {} : { waits }),
    }),
  ),
  ...(
    [
      ['61 seconds', '61', 61_000],
      ['more than a number holds', '9'.repeat(30), Number.MAX_SAFE_INTEGER],
      ['a date of tomorrow', date(86_400_000), 86_400_000],
    ] as const
  ).map(
    ([what, value, retryAfterMs]): Row => ({
      fault: `429 with a Retry-After of ${what}`,
      tells: 'final',
      does: { response: putOff(value) },
      error: { ...busy, retryAfterMs },
    }),
  ),
]

export const redirectStatuses = [301, 302, 303, 307, 308]

/** A redirect to another origin. */
export const redirectTo =
  (location: string) =>
  (status: number): Row => ({
    fault: `${status} to another origin`,
    tells: 'final',
    does: { response: failing(status, 'moved', { location }) },
    error: { name: 'ApiError', status, code: 'moved', requestId },
  })

/** A connection that never comes about. */
export const unsentRow = (fault: string): Row => ({ fault, tells: 'unsent', does: {}, error: broken })

const slowFaults: readonly Pick<Row, 'fault' | 'does'>[] = [
  { fault: 'silence after the head', does: { at: 'request head', by: 'stall' } },
  { fault: 'silence after the request', does: { at: 'request', by: 'stall' } },
  { fault: 'silence after the work', does: { at: 'request', by: 'stall', forward: true } },
  { fault: 'silence within the head of the answer', does: { response: answer, at: 'answer head', by: 'stall' } },
  { fault: 'silence within the answer', does: { response: answer, at: 'answer body', by: 'stall' } },
  { fault: 'a head that trickles', does: { response: answer, trickle: 'head' } },
  { fault: 'a body that trickles', does: { response: answer, trickle: 'body' } },
]

/** Faults that only `timeoutMs` ends. */
export const slowRows: readonly Row[] = slowFaults.map((row) => ({ ...row, tells: 'late', error: late }))
