import type { Endpoint } from '../contract/endpoint.ts'
import { requestIdHeader } from '../contract/service.ts'
import { type ApiError, apiErrorFor } from '../errors/api-errors.ts'
import { type CallFacts, InvalidResponseError } from '../errors/call-errors.ts'
import { decodeUtf8 } from '#platform'
import { redactText, snippetOf } from './redact.ts'
import { isRetryable, retryAfterMs } from './retry.ts'
import type { TransportAnswer } from './transport.ts'

/** What judging an answer needs to know of the call. */
export interface AnswerContext {
  readonly endpoint: Pick<Endpoint, 'unwrap' | 'status'>
  readonly call: CallFacts
  readonly now: number
  /** What must not come back out; asked for only when something is wrong. */
  readonly secrets: () => readonly string[]
}

type Json = Readonly<Record<string, unknown>>

const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Takes the envelope off an answer.
 *
 * @throws {ApiError} the service says that the call failed, or answers without success
 * @throws {InvalidResponseError} the answer is none of the service's
 */
export function openEnvelope(answer: TransportAnswer, context: AnswerContext): unknown {
  const { status } = answer
  const succeeded = status >= 200 && status < 300
  const body = decodeUtf8(answer.body)
  const parsed = body === undefined ? undefined : parse(body)
  if (!succeeded) throw refusal(answer, isJsonObject(parsed) ? parsed : undefined, context)
  // What an unconfirmed operation answers is not shown: it may be nothing at all.
  if (status === 204 && context.endpoint.status === 'unconfirmed') return null
  if (!isJsonObject(parsed)) throw unusable(whyNoEnvelope(body), answer, body, context)
  if (parsed.success === false) {
    if (codeOf(parsed) !== undefined) throw refusal(answer, parsed, context)
    throw unusable('the answer says success: false without a code', answer, body, context)
  }
  if (parsed.data === undefined) throw unusable('the answer has no data', answer, body, context)
  const { unwrap } = context.endpoint
  if (unwrap === undefined) return parsed.data
  const inner = isJsonObject(parsed.data) ? parsed.data[unwrap] : undefined
  if (inner === undefined) throw unusable(`the answer has no data.${unwrap}`, answer, body, context)
  return inner
}

/** `__proto__` in a body would become a member that assignments to other objects trip over. */
const mayNameProto = /__proto__|\\u005f/i
const withoutProto = (name: string, value: unknown) => (name === '__proto__' ? undefined : value)

function parse(body: string): unknown {
  try {
    return mayNameProto.test(body) ? JSON.parse(body, withoutProto) : JSON.parse(body)
  } catch {
    // The parser's own error quotes the body; the caller is told by `whyNoEnvelope`.
    return undefined
  }
}

function whyNoEnvelope(body: string | undefined): string {
  if (body === undefined) return 'the answer is not valid UTF-8'
  if (body.trim() === '') return 'the answer is empty'
  return /^\s*</.test(body) ? 'the answer is a page, not JSON: a proxy may have sent it' : 'the answer is not JSON of the documented form'
}

/** Both error forms: the envelope's, and that of RFC 6749, section 5.2. */
function codeOf(envelope: Json | undefined): string | undefined {
  const error = envelope?.error
  return isJsonObject(error) ? text(error.code) : text(error)
}

function refusal(answer: TransportAnswer, envelope: Json | undefined, context: AnswerContext): ApiError {
  const { status, headers } = answer
  const error = isJsonObject(envelope?.error) ? envelope.error : {}
  const { code: _, message, ...details } = error
  const code = codeOf(envelope) ?? `http_${status}`
  const said = text(message) ?? text(envelope?.error_description)
  const fields = isJsonObject(envelope?.data) ? envelope.data.errors : undefined
  return apiErrorFor(
    {
      status,
      code: redactText(code, context.secrets()),
      message: said === undefined ? unsaid(status, envelope) : redactText(said, context.secrets()),
      requestId: headers.get(requestIdHeader) ?? undefined,
      retryable: isRetryable(status, code),
      retryAfterMs: retryAfterMs(headers.get('retry-after'), context.now),
      details,
      fieldErrors: isJsonObject(fields) ? fields : {},
      headers: () => headers.toHeaders(),
    },
    context.call,
  )
}

function unsaid(status: number, envelope: Json | undefined): string {
  if (status >= 300 && status < 400) return `a redirect (${status}), which is never followed: check baseUrl`
  const who = envelope === undefined ? '; a proxy on the way may have answered' : ''
  return `status ${status} without a message${who}`
}

function unusable(
  message: string,
  { status, headers, body: bytes }: TransportAnswer,
  body: string | undefined,
  { call, secrets }: AnswerContext,
): InvalidResponseError {
  const shown = body ?? new TextDecoder().decode(bytes.subarray(0, 4096))
  return new InvalidResponseError(message, call, {
    status,
    requestId: headers.get(requestIdHeader) ?? undefined,
    snippet: snippetOf(shown, secrets()),
  })
}

/** The refusal of an answer that has an envelope, and in it not what the contract promises. */
export function misshapen(fields: readonly string[], answer: TransportAnswer, context: AnswerContext) {
  const body = decodeUtf8(answer.body)
  return unusable(`the answer is not as documented (${fields.join(', ')})`, answer, body, context)
}
