import { decodeUtf8 } from '#platform'
import type { Endpoint } from '../contract/endpoint.ts'
import { requestIdHeader } from '../contract/service.ts'
import { type ApiError, apiErrorFor } from '../errors/api-errors.ts'
import { type CallFacts, InvalidResponseError } from '../errors/call-errors.ts'
import { plainCode, redactText, secretsOf, snippetOf } from './redaction/redact.ts'
import { plainRequestId } from './redaction/request-id.ts'
import { isRetryable, retryAfterMs } from './retry.ts'
import type { TransportResponse } from './transport/transport.ts'

/** What judging an answer needs to know of the call. */
export interface ResponseContext {
  readonly endpoint: Pick<Endpoint, 'envelope' | 'unwrap' | 'status' | 'replacedBy'>
  readonly call: CallFacts
  readonly now: number
  /** What must not come back out; asked for only when something is wrong. */
  readonly secrets: () => readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** An answer that was a success. */
export interface DecodedEnvelope {
  readonly data: unknown
  /** The whole of it, `data` included. */
  readonly envelope: Json
}

const isJsonObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Takes the envelope off an answer.
 *
 * @throws {ApiError} the service says that the call failed, or answers without success
 * @throws {InvalidResponseError} the answer is none of the service's
 */
export function decodeEnvelope(answer: TransportResponse, context: ResponseContext): DecodedEnvelope {
  const { status } = answer
  const succeeded = status >= 200 && status < 300
  const body = decodeUtf8(answer.body)
  const parsed = body === undefined ? undefined : parse(body)
  if (!succeeded) throw serviceError(answer, isJsonObject(parsed) ? parsed : undefined, context)
  // What an unconfirmed operation answers is not shown: it may be nothing at all.
  if (status === 204 && context.endpoint.status === 'unconfirmed') return { data: null, envelope: {} }
  if (!isJsonObject(parsed)) throw invalidResponse(whyNoEnvelope(body), answer, body, context)
  if (parsed.success === false) {
    if (codeOf(parsed) !== undefined) throw serviceError(answer, parsed, context)
    throw invalidResponse('the answer says success: false without a code', answer, body, context)
  }
  if (isBare(parsed, context)) return { data: parsed, envelope: parsed }
  if (parsed.data === undefined) throw invalidResponse('the answer has no data', answer, body, context)
  const { unwrap } = context.endpoint
  if (unwrap === undefined) return { data: parsed.data, envelope: parsed }
  const inner = isJsonObject(parsed.data) ? parsed.data[unwrap] : undefined
  if (inner === undefined) throw invalidResponse(`the answer has no data.${unwrap}`, answer, body, context)
  return { data: inner, envelope: parsed }
}

const isBare = (parsed: Json, { endpoint: { envelope } }: ResponseContext) =>
  envelope === 'none' || (envelope === 'optional' && parsed.data === undefined)

/** `__proto__` in a body would become a member that assignments to other objects trip over. Escapes may spell it. */
const mayNameProto = (body: string) =>
  body.includes('__proto__') || (body.includes('\\u00') && /\\u00[5-7]/.test(body))
const withoutProto = (name: string, value: unknown) => (name === '__proto__' ? undefined : value)

function parse(body: string): unknown {
  try {
    return mayNameProto(body) ? JSON.parse(body, withoutProto) : JSON.parse(body)
  } catch {
    // The parser's own error quotes the body; the caller is told by `whyNoEnvelope`.
    return undefined
  }
}

function whyNoEnvelope(body: string | undefined): string {
  if (body === undefined) return 'the answer is not valid UTF-8'
  if (body.trim() === '') return 'the answer is empty'
  return /^\s*</.test(body)
    ? 'the answer is a page, not JSON: a proxy may have sent it'
    : 'the answer is not JSON of the documented form'
}

/** Both error forms: the envelope's, and that of RFC 6749, section 5.2. */
function codeOf(envelope: Json | undefined): string | undefined {
  const error = envelope?.error
  return isJsonObject(error) ? text(error.code) : text(error)
}

function serviceError(
  answer: TransportResponse,
  envelope: Json | undefined,
  context: ResponseContext,
): ApiError {
  const { status, headers } = answer
  const error = isJsonObject(envelope?.error) ? envelope.error : {}
  const { code: _, message: __, ...details } = error
  // What the answer holds beside its message must not come out by way of the message.
  const secrets = [...context.secrets(), ...secretsOf([details, envelope?.data])]
  const code = plainCode(codeOf(envelope) ?? '', secrets) ?? `http_${status}`
  const fields = isJsonObject(envelope?.data) ? envelope.data.errors : undefined
  return apiErrorFor(
    {
      status,
      code,
      message: messageOf(answer, { envelope, secrets, replacedBy: context.endpoint.replacedBy }),
      requestId: plainRequestId(headers.get(requestIdHeader), () => secrets),
      retryable: isRetryable(status, code),
      retryAfterMs: retryAfterMs(headers.get('retry-after'), context.now),
      details,
      fieldErrors: isJsonObject(fields) ? fields : {},
      headers: () => headers.toHeaders(),
    },
    context.call,
  )
}

function messageOf(
  { status }: TransportResponse,
  {
    envelope,
    secrets,
    replacedBy,
  }: { envelope: Json | undefined; secrets: readonly string[]; replacedBy: string | undefined },
): string {
  const error = isJsonObject(envelope?.error) ? envelope.error : {}
  const said = text(error.message) ?? text(envelope?.error_description)
  const message = said === undefined ? unsaid(status, envelope) : redactText(said, secrets)
  return status === 410 && replacedBy !== undefined ? `${message} (use ${replacedBy} instead)` : message
}

function unsaid(status: number, envelope: Json | undefined): string {
  if (status >= 300 && status < 400) return `a redirect (${status}), which is never followed: check baseUrl`
  const who = envelope === undefined ? '; a proxy on the way may have answered' : ''
  return `status ${status} without a message${who}`
}

function invalidResponse(
  message: string,
  { status, headers, body: bytes }: TransportResponse,
  body: string | undefined,
  { call, secrets }: ResponseContext,
): InvalidResponseError {
  const shown = body ?? new TextDecoder().decode(bytes.subarray(0, 4096))
  return new InvalidResponseError(message, call, {
    status,
    requestId: plainRequestId(headers.get(requestIdHeader), secrets),
    snippet: snippetOf(shown, secrets()),
  })
}

/** The refusal of an answer that has an envelope, and in it not what the contract promises. */
export function unexpectedShape(
  fields: readonly string[],
  answer: TransportResponse,
  context: ResponseContext,
) {
  const body = decodeUtf8(answer.body)
  return invalidResponse(`the answer is not as documented (${fields.join(', ')})`, answer, body, context)
}
