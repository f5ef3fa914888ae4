import { type Endpoint, mayBeCharged } from '../../contract/endpoint.ts'
import type { JsonObject } from '../../contract/schema/schema.ts'
import { type CallFacts, invalidParam } from '../../errors/call-errors.ts'
import type { ErrorDetail } from '../../errors/error-detail.ts'
import { aFunction, joinRules, oneOfTexts } from '../../options/rules.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import { type BodySource, jsonBody, noBody, toJson, type UploadProgress } from '../body/body.ts'
import { imageFields } from '../body/image.ts'
import { ImageBody } from '../body/image-body.ts'
import { type BillableRequestOptions, requestOptionRules } from '../params/options.ts'
import { checkCallOptions, checkParams, fillPath, queryString, readHeaders, unlistedParams } from '../params/params.ts'

/** The params of a call, by where they are sent. */
export interface CallParams {
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?: object | undefined
  readonly body?: object | undefined
  /** The `Authorization` header of this call alone. */
  readonly authorization?: string
}

/** Request options of a call with images. */
export interface ImageRequestOptions extends BillableRequestOptions {
  /**
   * How images are sent: as files of a form, which are streamed, or as base64 in JSON, which is a third larger.
   *
   * @default 'multipart'. `'json'` for a list of frames
   */
  readonly encoding?: 'multipart' | 'json' | undefined
  /**
   * Called as the request's body is sent. Each attempt starts at zero again. An error that it throws is logged, and has
   * no effect on the call.
   */
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

/** A call without images accepts the options of a call with images too: they have no effect. */
const optionRules = /* @__PURE__ */ joinRules(requestOptionRules, {
  encoding: /* @__PURE__ */ oneOfTexts(['multipart', 'json']),
  onUploadProgress: aFunction,
  spendKey: {
    form: 'be a string of 1 to 255 characters',
    allows: (value: unknown) => typeof value === 'string' && value.length > 0 && value.length <= 255,
  },
})

/** One logical call: what is sent, the same for all attempts. What changes between attempts is in `CallState`. */
export interface Call {
  readonly endpoint: Endpoint
  readonly options: ImageRequestOptions
  /** Path and query, below the path of the base URL. */
  readonly path: string
  /** Headers of this call alone; they win over the client's. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly authorization: string | undefined
  readonly body: BodySource
  readonly idempotencyKey: string | undefined
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Checks params and options and turns them into what is sent.
 *
 * @throws {InvalidParamsError}
 */
export function createCall(
  endpoint: Endpoint,
  params: CallParams,
  options: ImageRequestOptions,
  errorDetail: ErrorDetail | undefined,
): Call {
  const { operation } = endpoint
  checkCallOptions(options, operation, optionRules)
  if (options.spendKey !== undefined && !mayBeCharged(endpoint))
    throw invalidParam(operation, 'spendKey', 'is for calls that may be charged. Leave it out')
  // A key of a read would have no effect, and one may be among options that are used for several calls.
  const givenKey = endpoint.method === 'GET' ? undefined : options.idempotencyKey
  const idempotencyKey = givenKey ?? (endpoint.billable ? crypto.randomUUID() : undefined)
  const facts = { operation, attempts: 0, idempotencyKey, errorDetail }
  const path = fillPath(endpoint.path, params.path ?? {}, facts)
  const body = resolveAliases(endpoint, params.body, facts)
  checkParams(endpoint, { query: params.query, body }, facts)
  const sent = withExtraParams(endpoint, { query: params.query, body }, options.extraParams, facts)
  return {
    endpoint,
    options,
    path: path + queryString(sent.query as JsonObject | undefined, facts),
    headers: options.headers && readHeaders(options.headers),
    authorization: params.authorization,
    body: bodyOf(endpoint, sent.body as JsonObject | undefined, options, facts),
    idempotencyKey,
    errorDetail,
  }
}

/** @throws {InvalidParamsError} the operation has a param of this name */
function withExtraParams(
  { method, query, body, aliases = {} }: Endpoint,
  sent: Pick<CallParams, 'query' | 'body'>,
  extra: ImageRequestOptions['extraParams'],
  facts: CallFacts,
): Pick<CallParams, 'query' | 'body'> {
  if (extra === undefined) return sent
  const place = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
  const unlisted = unlistedParams(place === 'query' ? query : body, extra).map(({ path }) => path[0])
  for (const name of Object.keys(extra))
    if (!unlisted.includes(name) || Object.hasOwn(aliases, name))
      throw invalidParam(facts, `extraParams.${name}`, 'is a param of the operation: pass it as one')
  if (Array.isArray(sent[place])) throw invalidParam(facts, 'extraParams', 'cannot be added to an array')
  return { ...sent, [place]: { ...sent[place], ...extra } }
}

function bodyOf(
  endpoint: Endpoint,
  body: JsonObject | undefined,
  { encoding: chosen, onUploadProgress }: ImageRequestOptions,
  facts: CallFacts,
): BodySource {
  if (!endpoint.images) return body === undefined ? noBody : jsonBody(toJson(body, facts))
  const params = body ?? {}
  const images = imageFields(endpoint, params)
  const hasList = images.some((field) => Array.isArray(params[field]))
  // A form streams its files. Without an image there is nothing to stream.
  const encoding = chosen ?? (images.length === 0 || hasList ? 'json' : 'multipart')
  if (hasList && encoding === 'multipart')
    throw invalidParam(facts, 'encoding', "must be 'json' for a list of images: the service documents no form for it")
  return new ImageBody({ params, images, encoding, onUploadProgress })
}

/**
 * Computes the boundary of a multipart body: an HMAC over the idempotency key, keyed with the API key. The same
 * idempotency key gives the same boundary in every process, so that a retry has the same bytes, and a person who
 * supplies an image cannot guess it.
 */
export const multipartBoundary = async (
  apiKey: string,
  idempotencyKey: string = crypto.randomUUID(),
): Promise<string> => hmacSha256Hex(apiKey, '', idempotencyKey)

/**
 * Renames the aliases that an endpoint accepts to its canonical fields, so that equal calls have equal bodies. Returns
 * params that are not an object unchanged, because `checkParams` reports them.
 *
 * @throws {InvalidParamsError} an alias and its canonical field have different values
 */
function resolveAliases(
  { aliases }: Pick<Endpoint, 'aliases'>,
  params: object | undefined,
  call: CallFacts,
): object | undefined {
  if (aliases === undefined || typeof params !== 'object' || params === null || Array.isArray(params)) return params
  const fields: Record<string, unknown> = { ...params }
  for (const [alias, name] of Object.entries(aliases)) {
    const value = (params as JsonObject)[alias]
    delete fields[alias]
    if (value === undefined) continue
    if (fields[name] !== undefined && fields[name] !== value) {
      throw invalidParam(call, alias, `differs from ${name}, of which it is an alias`)
    }
    fields[name] = value
  }
  return fields
}
