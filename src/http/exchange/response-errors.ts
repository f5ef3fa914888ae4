import type { Endpoint } from '../../contract/endpoint.ts'
import { type ErrorAdvice, errorCatalog, type KnownErrorCode } from '../../contract/errors/catalog.ts'
import { type ErrorCode, emptyWalletStatus, isSafeServerError, meaningOfStatus } from '../../contract/errors/codes.ts'
import { isJsonObject, type JsonObject, listedPath } from '../../contract/schema/schema.ts'
import { requestIdHeader } from '../../contract/service.ts'
import { type ApiError, apiErrorFor, isOpenStatus } from '../../errors/api-errors.ts'
import { type CallFacts, callFacts, InvalidResponseError } from '../../errors/call-errors.ts'
import { howToSee, showsAll } from '../../errors/error-detail.ts'
import { decodeUtf8 } from '../../runtime/bytes.ts'
import type { TransportHeaders, TransportResponse } from '../transport/transport.ts'

/** The call that a response belongs to. */
interface RespondedCall extends CallFacts {
  /** Texts that neither an error code nor a request id may contain. */
  readonly credentials: readonly string[]
}

/** What is needed of a call to read its response. */
export interface ResponseContext {
  readonly endpoint: Endpoint
  readonly state: RespondedCall
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Returns a text that has characters. */
const textIn = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

/** Joins the parts of a message that it has. */
const joined = (...parts: (string | undefined)[]) => parts.filter(textIn).join(' ')

/** Says what a body is that is not an envelope, and why that may be. */
export function whyNoEnvelope(
  body: string | undefined,
  { status, headers }: Pick<TransportResponse, 'status' | 'headers'>,
): string {
  const isPage = body !== undefined && /^\s*</.test(body)
  const what =
    body === undefined
      ? headers.get('content-encoding') === null
        ? 'not valid UTF-8'
        : 'not valid UTF-8: check its content-encoding'
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
export function serviceCode(envelope: JsonObject | undefined): string | undefined {
  const error = envelope?.error
  return isJsonObject(error) ? textIn(error.code) : textIn(error)
}

export function apiError(
  response: TransportResponse,
  envelope: JsonObject | undefined,
  context: ResponseContext,
): ApiError {
  const { status, headers } = response
  const { endpoint, state } = context
  const error: Record<string, unknown> = isJsonObject(envelope?.error) ? envelope.error : {}
  const { code: given, message } = error
  const data = isJsonObject(envelope?.data) ? envelope.data : {}
  const fieldErrors = isJsonObject(data.errors) ? data.errors : {}
  const serviceMessage = textIn(message) ?? textIn(envelope?.error_description)
  const own = serviceCode(envelope)
  const code = shownCode(own, state)
  const written = { serviceMessage, fieldErrors }
  const meaning = meaningOf(code, response, envelope)
  const step = nextStep(code, status, endpoint)
  const words = showsAll(state.errorDetail)
    ? [asSentence(joined(serviceMessage ?? meaning, listOf(fieldErrors)), step), step]
    : [asSentence(meaning, step), step, namesOf(fieldErrors, endpoint), whatIsHidden(written)]
  return apiErrorFor({
    ...callFacts(state),
    status,
    code: (code as ErrorCode | undefined) ?? `http_${status}`,
    message: joined(...words, replacement(status, endpoint)),
    requestId: requestIdOf(headers, state),
    // Otherwise what was sent may be used up: a code, or a refresh token that must not be presented twice.
    retryable: endpoint.replay !== 'never' || (status === 429 && code !== undefined) ? undefined : false,
    retryAfterMs: retryAfterMs(headers, context.now),
    ...written,
    // A code that is not printed can be read here.
    details: detailsOf(error, code === undefined ? (given ?? own) : undefined),
    data,
    headers: () => headers.toHeaders(),
  })
}

/**
 * Returns the extra members of a parsed error. They are not copied, because that takes longer for a million than to parse
 * them.
 *
 * @param hidden a code that is not printed
 */
function detailsOf(error: Record<string, unknown>, hidden: unknown): Record<string, unknown> {
  delete error.message
  delete error.code
  return hidden === undefined ? error : Object.assign(error, { code: hidden })
}

/** Ends the words of the service if a sentence follows. */
function asSentence(words: string, next: string | undefined): string {
  const shown = words.slice(0, kept.characters).toWellFormed()
  return next === undefined || /[.!?)]\s*$/.test(shown) ? shown : `${shown}.`
}

/** The codes of the service are words of lower case. Anything else may be a value. */
const codeForm = /^[a-z]+(?:_[a-z0-9]+)*$/
const requestIdForm = /^[\w.:;=/+-]{1,128}$/

/** Returns an error code that can be printed. */
function shownCode(code: string | undefined, { credentials }: RespondedCall): string | undefined {
  if (code === undefined || code.length > 64 || !codeForm.test(code)) return undefined
  return credentials.some((credential) => code.includes(credential)) ? undefined : code
}

/** Returns the id of a request if it has the form of one and contains no credential. */
export function requestIdOf(headers: TransportHeaders, { credentials }: RespondedCall): string | undefined {
  const id = headers.get(requestIdHeader)
  if (id === null || !requestIdForm.test(id)) return undefined
  return credentials.some((credential) => id.includes(credential)) ? undefined : id
}

/** Says what an error of the service means, in our words. */
function meaningOf(code: string | undefined, response: TransportResponse, envelope: JsonObject | undefined): string {
  if (code === undefined) return whyNoCode(response, envelope)
  if (!Object.hasOwn(errorCatalog(), code))
    return joined(meaningOfStatus(response.status), 'The service contract does not list this code.')
  return errorCatalog()[code as KnownErrorCode].meaning
}

const afterChange: Readonly<Record<ErrorAdvice['actor'], string>> = {
  caller: 'Correct the call.',
  end_user: 'The person must act first.',
  operator: 'The operator of the account must act first.',
  wait: 'Call again later.',
}

/** What to change, for codes that only the configuration of the app can cause. Nobody has to wait or to sign in again. */
export const configurationAdvice: { readonly [Code in ErrorCode]?: string } = {
  // Test and production are separate applications (contract, section 5), so a key that is valid may be the wrong one.
  invalid_api_key:
    'Check that apiKey is one for this baseUrl, because test and production have different keys, or run: npx identity-service-sdk doctor.',
  invalid_client: 'Check clientId and clientSecret, or run: npx identity-service-sdk doctor.',
  invalid_scope: 'Enable the scopes for the application, or remove them from scope.',
  unauthorized_client: 'Activate the application, or use the clientId of an active one.',
  unsupported_response_type: 'Check baseUrl, because the response type is always code.',
}

/** Whether only the configuration of the app can cause an error of the service. */
export const isConfigurationCode = (code: string | undefined): boolean =>
  code !== undefined && Object.hasOwn(configurationAdvice, code)

const nextSteps = ({ actor, retry }: ErrorAdvice): string => {
  if (retry !== 'never') return afterChange[actor]
  return actor === 'end_user' ? 'The person must start again.' : 'The same call cannot succeed.'
}

/** Says what to do next, and whether it is safe to call again, as the last sentence of a message. */
function nextStep(code: string | undefined, status: number, endpoint: Endpoint): string | undefined {
  // A service that fails may have executed the call before.
  if (isOpenStatus(status) && !isSafeServerError(endpoint.path, { status, code: code ?? '' })) {
    if (endpoint.replay === 'if-not-executed') return mayHaveExecutedAdvice
    if (endpoint.replay === 'with-key')
      return "Call again later with this error's idempotencyKey, so that the service can recognize the call."
  }
  if (status === emptyWalletStatus) return 'Add funds to the wallet, then call again.'
  if (code === undefined || !Object.hasOwn(errorCatalog(), code)) return undefined
  const known = code as KnownErrorCode
  return configurationAdvice[known] ?? nextSteps(errorCatalog()[known].advice)
}

function whyNoCode(response: TransportResponse, envelope: JsonObject | undefined): string {
  const { status, body } = response
  if (status >= 300 && status < 400) return 'a redirect, and redirects are never followed: check baseUrl'
  return envelope === undefined ? whyNoEnvelope(decodeUtf8(body), response) : 'The response has no error code.'
}

/** Says where to read what the service wrote. */
function whatIsHidden({ serviceMessage, fieldErrors }: Pick<ApiError, 'serviceMessage' | 'fieldErrors'>) {
  if (Object.keys(fieldErrors).length > 0) return `For the fields, ${howToSee('fieldErrors')}.`
  return serviceMessage === undefined ? undefined : `For the message of the service, ${howToSee('serviceMessage')}.`
}

/** Maximum number of field errors in a message. */
const maxFieldErrors = 5

/** Maximum number of field errors that are looked at for it. A response of a few bytes may have millions. */
const maxFieldsRead = 100

/** The first field errors, each with the path of its field. One field may have several. */
function listOf(fieldErrors: JsonObject): string | undefined {
  const entries = Object.entries(fieldErrors)
  const shown = entries
    .slice(0, maxFieldErrors)
    .map(([path, words]) => `${path}: ${[words].flat().filter(textIn).join(', ')}`)
  if (entries.length > shown.length) shown.push(`${entries.length - shown.length} more in fieldErrors`)
  return shown.length === 0 ? undefined : `(${shown.join('; ')})`
}

/** Names, and places in a list. A longer number may be a value, such as that of a document. */
const fieldPath = /^[a-z_]\w*(?:\.(?:\d{1,3}|[a-z_]\w*))*$/i

/** The documented fields that have errors. */
function namesOf(fieldErrors: JsonObject, { body }: Endpoint): string | undefined {
  const isDocumented = (path: string) => {
    const steps = path.split('.').map((step) => (/^\d/.test(step) ? Number(step) : step))
    return body !== undefined && fieldPath.test(path) && !listedPath(steps, {}, body.zod).includes('*')
  }
  const names = Object.keys(fieldErrors).slice(0, maxFieldsRead).filter(isDocumented)
  return names.length === 0 ? undefined : `Fields: ${names.slice(0, maxFieldErrors).join(', ')}.`
}

const replacement = (status: number, { replacedBy }: Endpoint) =>
  status === 410 && replacedBy !== undefined ? `(use ${replacedBy} instead)` : undefined

/** What the caller has to do before a call is sent again whose outcome is open and that has no idempotency key. */
export const mayHaveExecutedAdvice = 'The service may have executed the call: check before you call again.'

/** How much of a body an error keeps, and how much of a text of the service a message shows. */
const kept = { bytes: 65_536, characters: 1000 }

/** Media types that a message names. Any other may be a value. */
const mediaTypes = ['application/json', 'text/html', 'text/plain', 'application/xml', 'text/xml']

/** Creates the error for a success whose body cannot be used. */
export function invalidResponse(
  message: string,
  { status, headers, body }: TransportResponse,
  { state, endpoint }: ResponseContext,
): InvalidResponseError {
  const sent = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? 'no content type'
  const type = mediaTypes.includes(sent) || sent === 'no content type' ? sent : 'another content type'
  const start = new TextDecoder().decode(body.subarray(0, kept.bytes))
  const shown = showsAll(state.errorDetail)
    ? `: ${start.slice(0, kept.characters)}`
    : `. For the body, ${howToSee('body')}.`
  const what = `${message} (${type}, ${body.byteLength} bytes)${body.byteLength === 0 ? '.' : shown}`
  const step = endpoint.replay === 'if-not-executed' ? mayHaveExecutedAdvice : undefined
  return new InvalidResponseError({
    ...callFacts(state),
    message: joined(`${state.operation}: ${what}`, step),
    status,
    requestId: requestIdOf(headers, state),
    body: start,
  })
}

/** An HTTP date, and the form of RFC 850. */
const httpDate =
  /^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?, (\d\d?)[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/

/**
 * Reads `Retry-After`: seconds, or a date in the future. The date is compared with that of the response, if it has one,
 * because both are of one clock, and the clock of this machine may be wrong.
 *
 * @returns milliseconds from now; `undefined` if the value cannot be read or is over, so that the backoff applies
 */
function retryAfterMs(headers: TransportHeaders, now: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, Number.MAX_SAFE_INTEGER)
  const date = parseHttpDate(text)
  const from = parseHttpDate(headers.get('date')?.trim() ?? '') ?? now
  return date !== undefined && date > from ? date - from : undefined
}

function parseHttpDate(text: string): number | undefined {
  const day = httpDate.exec(text)?.[1]
  const date = day === undefined ? Number.NaN : Date.parse(text)
  // `Date.parse` reads 30 February as 2 March.
  return new Date(date).getUTCDate() === Number(day) ? date : undefined
}
