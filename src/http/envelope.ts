import type { Endpoint } from '../contract/endpoint.ts'
import type { KnownErrorCode } from '../contract/errors/catalog.ts'
import type { ErrorCode } from '../contract/errors/codes.ts'
import { isJsonObject, type JsonObject } from '../contract/schema/json-object.ts'
import { requestIdHeader } from '../contract/service.ts'
import { type ApiError, apiErrorFor } from '../errors/api-errors.ts'
import { type CallFacts, factsOf, InvalidResponseError } from '../errors/call-errors.ts'
import { decodeUtf8 } from '../runtime/bytes.ts'
import { parseJson } from '../runtime/parse-json.ts'
import { plainCode, redactText } from './redaction/redact.ts'
import { plainRequestId, type SecretsOwner } from './redaction/request-id.ts'
import { secretsOf } from './redaction/secrets.ts'
import { describeBody, snippetOf } from './redaction/snippet.ts'
import { retryAfterMs } from './retry.ts'
import type { TransportResponse } from './transport/transport.ts'

/** What is needed of a call to read its response. */
export interface ResponseContext {
  readonly endpoint: Endpoint
  readonly state: CallFacts & SecretsOwner
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A successful response. */
export interface DecodedEnvelope {
  /** The payload. */
  readonly data: unknown
  /** The whole body, `data` included. Empty if the body is not an object. */
  readonly envelope: JsonObject
}

/** Maximum number of field errors in a message. */
const maxFieldErrors = 5

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/**
 * Reads a response and removes its envelope.
 *
 * @throws {ApiError} the service reports an error, or the status is not a success
 * @throws {InvalidResponseError} a success whose body the service cannot have written
 */
export function decodeEnvelope(response: TransportResponse, context: ResponseContext): DecodedEnvelope {
  const { status } = response
  const { endpoint } = context
  const body = decodeUtf8(response.body)
  const parsed = parse(body)
  const envelope = isJsonObject(parsed) ? parsed : undefined
  if (status < 200 || status >= 300) throw serviceError(response, envelope, context)
  // The contract shows no response of an unconfirmed operation: it may be empty.
  if (status === 204 && endpoint.unconfirmed) return { data: null, envelope: {} }
  if (parsed === undefined || (envelope === undefined && (endpoint.envelope ?? 'data') === 'data'))
    throw invalidResponse(whyNoEnvelope(body, status), response, context)
  if (envelope?.success === false) {
    if (codeOf(envelope) !== undefined) throw serviceError(response, envelope, context)
    throw invalidResponse('the response says success: false without a code', response, context)
  }
  const isBare = envelope === undefined || !isEnveloped(envelope, endpoint)
  const data = isBare ? parsed : payloadOf(envelope, response, context)
  return { data, envelope: envelope ?? {} }
}

/** Without a promise of the contract, only a body that looks like the envelope is one. */
const isEnveloped = ({ success, data }: JsonObject, { envelope = 'data' }: Endpoint) =>
  envelope === 'data' || (envelope === 'optional' && success === true && data !== undefined)

function payloadOf({ data }: JsonObject, response: TransportResponse, context: ResponseContext): unknown {
  const { unwrap, complete } = context.endpoint
  if (data === undefined) throw invalidResponse('the response has no data', response, context)
  const payload = complete?.(data) ?? data
  if (unwrap === undefined) return payload
  const inner = isJsonObject(payload) ? payload[unwrap] : undefined
  if (inner === undefined) throw invalidResponse(`the response has no data.${unwrap}`, response, context)
  return inner
}

/** Returns the value of a body that is JSON, and `undefined` for any other. */
function parse(body: string | undefined): unknown {
  if (body === undefined) return undefined
  try {
    return parseJson(body)
  } catch {
    // The parser's error quotes the body. `whyNoEnvelope` describes it instead.
    return undefined
  }
}

/** Says what a body is that is not an envelope, and why that may be. */
function whyNoEnvelope(body: string | undefined, status: number): string {
  const isPage = body !== undefined && /^\s*</.test(body)
  const what =
    body === undefined
      ? 'not valid UTF-8'
      : isPage
        ? 'a page, not JSON'
        : body.trim() === ''
          ? 'empty'
          : 'not JSON in the documented form'
  // Any other server has neither the paths nor the errors of the service.
  const mayBeElsewhere = status === 404 || (isPage && status < 300)
  if (mayBeElsewhere) return `the response is ${what}: baseUrl is probably wrong, or a proxy sent it`
  return `the response is ${what}${isPage || status >= 300 ? '; a proxy may have sent it' : ''}`
}

/** Reads both forms of an error: the envelope's, and that of RFC 6749, section 5.2. */
function codeOf(envelope: JsonObject | undefined): string | undefined {
  const error = envelope?.error
  return isJsonObject(error) ? text(error.code) : text(error)
}

function serviceError(
  response: TransportResponse,
  envelope: JsonObject | undefined,
  context: ResponseContext,
): ApiError {
  const { status, headers } = response
  const error = isJsonObject(envelope?.error) ? envelope.error : {}
  const { code: _, message: __, ...details } = error
  const data = isJsonObject(envelope?.data) ? envelope.data : {}
  const { errors, ...others } = data
  const fieldErrors = isJsonObject(errors) ? errors : {}
  // The message must not show what the rest of the response contains. Field errors are a part of the message.
  const secrets = [...context.state.secrets(), ...secretsOf([details, others])]
  const ownCode = plainCode(codeOf(envelope) ?? '', secrets)
  const requestId = plainRequestId(headers.get(requestIdHeader), { secrets: () => secrets })
  const given = textOf(envelope)
  const fields = listOf(fieldErrors, given)
  const words =
    given === undefined
      ? messageFor(response, envelope) + redactText(fields, secrets)
      : redactText(given + fields, secrets)
  return apiErrorFor({
    ...factsOf(context.state),
    status,
    code: (ownCode as ErrorCode | undefined) ?? `http_${status}`,
    message: words + replacement(status, context.endpoint) + (ownCode === invalidApiKey ? apiKeyAdvice : ''),
    requestId,
    // Otherwise what was sent may be used up: a code, or a refresh token that must not be presented twice.
    retryable: context.endpoint.replay !== 'never' || (status === 429 && ownCode) ? undefined : false,
    retryAfterMs: retryAfterMs(headers.get('retry-after'), context.now),
    details,
    data,
    fieldErrors,
    headers: () => headers.toHeaders(),
  })
}

function textOf(envelope: JsonObject | undefined): string | undefined {
  const error = isJsonObject(envelope?.error) ? envelope.error : {}
  return text(error.message) ?? text(envelope?.error_description)
}

/** The message for a response that has none. */
function messageFor({ status, body }: TransportResponse, envelope: JsonObject | undefined): string {
  if (status >= 300 && status < 400) return 'a redirect, and redirects are never followed: check baseUrl'
  return envelope === undefined ? whyNoEnvelope(decodeUtf8(body), status) : 'the response has no message'
}

const replacement = (status: number, { replacedBy }: Endpoint) =>
  status === 410 && replacedBy !== undefined ? ` (use ${replacedBy} instead)` : ''

/** Test and production are separate applications (contract, section 5), so a key that is valid may be the wrong one. */
export const apiKeyAdvice =
  ' (test and production have different keys: check that apiKey is one for this baseUrl, or run: npx identity-service-sdk doctor)'

const invalidApiKey: KnownErrorCode = 'invalid_api_key'

/** Returns the first field errors that the message of the service does not contain, each with the path of its field. */
function listOf(fieldErrors: JsonObject, given = ''): string {
  const entries = Object.entries(fieldErrors)
    .map(([path, words]) => `${path}: ${wordsIn(words)}`)
    .filter((entry) => !given.includes(entry))
  const shown = entries.slice(0, maxFieldErrors)
  if (entries.length > shown.length) shown.push(`${entries.length - shown.length} more in fieldErrors`)
  return shown.length === 0 ? '' : ` (${shown.join('; ')})`
}

/** One field may have several errors. */
const wordsIn = (value: unknown) =>
  [value]
    .flat()
    .filter((words) => typeof words === 'string')
    .join(', ')

/** Creates the error for a success whose body cannot be used. */
export function invalidResponse(
  message: string,
  { status, headers, body }: TransportResponse,
  { state }: ResponseContext,
): InvalidResponseError {
  const secrets = state.secrets()
  const parsed = parse(decodeUtf8(body))
  return new InvalidResponseError({
    ...factsOf(state),
    message: `${state.operation}: ${message}`,
    status,
    requestId: plainRequestId(headers.get(requestIdHeader), state),
    snippet:
      parsed === undefined
        ? describeBody(body, headers.get('content-type'), secrets)
        : snippetOf(parsed, secrets),
  })
}
