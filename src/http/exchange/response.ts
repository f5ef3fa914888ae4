import type { Endpoint } from '../../contract/endpoint.ts'
import { type Issue, isJsonObject, issuePaths, type JsonObject, listedPath } from '../../contract/schema/schema.ts'
import { requestIdHeader } from '../../contract/service.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { decodeUtf8, parseJson } from '../../runtime/bytes.ts'
import { ifMeant, rejectsEmulators } from '../../runtime/environment.ts'
import type { TransportHeaders, TransportResponse } from '../transport/transport.ts'
import type { ApiResponse } from './api-promise.ts'
import { apiError, invalidResponse, type ResponseContext, serviceCode, whyNoEnvelope } from './response-errors.ts'

/** A successful response. */
export interface DecodedEnvelope {
  /** The payload. */
  readonly data: unknown
  /** The whole body, `data` included. Empty if the body is not an object. */
  readonly envelope: JsonObject
}

/**
 * Reads a response and removes its envelope.
 *
 * @throws {ApiError} the service reports an error, or the status is not a success
 * @throws {ConfigurationError} no interceptor of nock matches the request, or an emulator responds in production
 * @throws {InvalidResponseError} a success whose body the service cannot have written
 */
export function decodeEnvelope(response: TransportResponse, context: ResponseContext): DecodedEnvelope {
  const { status } = response
  const { endpoint } = context
  if (rejectsEmulators(response.headers))
    throw new ConfigurationError({
      message: `${context.state.operation}: the response is from an emulator, which verifies nothing, and NODE_ENV is production. Check baseUrl (SVC_BASE_URL, SVC_ORG_BASE_URL). ${ifMeant}`,
    })
  const body = decodeUtf8(response.body)
  const parsed = body === undefined ? undefined : parseJson(withoutMark(body))
  const envelope = isJsonObject(parsed) ? parsed : undefined
  // nock 15 responds to what no interceptor matches. Nothing was sent, and no service is at fault.
  if (status === 501 && envelope?.code === 'ERR_NOCK_NO_MATCH') {
    const { method, path } = endpoint
    throw new ConfigurationError({
      message: `${context.state.operation}: no interceptor of nock matches ${method} ${path}, so nothing was sent. Add one for it, with the host and the path of baseUrl.`,
    })
  }
  if (status < 200 || status >= 300) throw apiError(response, envelope, context)
  // The contract shows no response of an unconfirmed operation: it may be empty.
  if (status === 204 && endpoint.unconfirmed) return { data: null, envelope: {} }
  if (parsed === undefined || (envelope === undefined && (endpoint.envelope ?? 'data') === 'data'))
    throw invalidResponse(whyNoEnvelope(body, response), response, context)
  if (envelope?.success === false) {
    if (serviceCode(envelope) !== undefined) throw apiError(response, envelope, context)
    throw invalidResponse('the response says success: false without a code', response, context)
  }
  const isBare = envelope === undefined || !isEnveloped(envelope, endpoint)
  const data = isBare ? parsed : payloadOf(envelope, response, context)
  return { data, envelope: envelope ?? {} }
}

/** Some servers start JSON with a byte order mark, which a parser may ignore (RFC 8259, section 8.1). */
const withoutMark = (text: string) => (text.startsWith('\uFEFF') ? text.slice(1) : text)

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

/** A response as callers see it. Its `Headers` are created when they are read, because most callers never do. */
export class CallResponse implements ApiResponse {
  readonly status: number
  readonly attempts: number
  readonly #headers: TransportHeaders
  readonly #envelope: JsonObject

  constructor({ status, headers }: TransportResponse, envelope: JsonObject, attempts: number) {
    this.status = status
    this.attempts = attempts
    this.#headers = headers
    this.#envelope = envelope
  }

  get envelope(): JsonObject {
    return this.#envelope
  }

  get headers(): Headers {
    return this.#headers.toHeaders()
  }

  get requestId(): string | undefined {
    return this.#headers.get(requestIdHeader) ?? undefined
  }
}

/** How strictly fields are validated if the contract gives their type. */
type ValidationMode = 'strict' | 'warn' | 'off'

/** Maximum number of schema issues reported. */
const maxIssues = 20

const none: readonly string[] = []

/**
 * Validates the payload of a response.
 *
 * - What decides about money or identity (`endpoint.strict`) is always validated.
 * - Fields whose type the contract gives are validated in the mode `strict`.
 * - Fields without a documented type are never rejected.
 *
 * @returns the paths of fields that are accepted but have another type than documented, to be reported
 * @throws {InvalidResponseError}
 */
export function validateResponse(
  data: unknown,
  response: TransportResponse,
  context: ResponseContext,
  mode: ValidationMode,
): readonly string[] {
  const { strict, response: schema } = context.endpoint
  const decisive = strict?.issues(data) ?? []
  if (decisive.length > 0) throw unexpected(decisive, data, response, context)
  if (mode === 'off' || strict === schema) return none
  const issues = schema.issues(data)
  if (issues.length === 0) return none
  const documented = mode === 'strict' ? issues.filter(({ untyped }) => !untyped) : []
  if (documented.length > 0) throw unexpected(documented, data, response, context)
  return pathsOf(issues, data, context)
}

function unexpected(issues: readonly Issue[], data: unknown, response: TransportResponse, context: ResponseContext) {
  const fields = pathsOf(issues, data, context).join(', ')
  return invalidResponse(`the response is not as documented (${fields})`, response, context)
}

const pathsOf = (issues: readonly Issue[], data: unknown, { endpoint }: ResponseContext) =>
  issuePaths(
    issues.slice(0, maxIssues).map(({ path }) => ({ path: listedPath(path, data, endpoint.response.zod) })),
    'data',
  )
