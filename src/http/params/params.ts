import type { Endpoint } from '../../contract/endpoint.ts'
import {
  isJsonObject,
  issuePaths,
  type JsonObject,
  type Schema,
  type UnlistedName,
  unlistedNames,
} from '../../contract/schema/schema.ts'
import {
  type CallFacts,
  callFacts,
  InvalidParamsError,
  invalidParam,
  type ParamIssue,
} from '../../errors/call-errors.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { nearestName, nearestOf } from '../../options/nearest-name.ts'
import { aSecret, kindOf, type OptionRules, optionIssues } from '../../options/rules.ts'
import { codePoint } from '../../runtime/code-point.ts'
import { imageFields, imageIssue, normalizeImage } from '../body/image.ts'
import { type ClientOptions, type RequestOptions, requestOptionRules } from './options.ts'

/** Maximum number of unknown params that an error names. A list of members may have one in each. */
const maxUnknown = 20

/** Finds params that the operation does not have. The service would ignore them, and do something else than was meant. */
function unknownParams(
  { namesByProvider = false }: CheckedEndpoint,
  schema: Schema | undefined,
  params: unknown,
): ParamIssue[] {
  return unlistedParams(schema, params)
    .slice(0, maxUnknown)
    .flatMap(({ path, listed }) => {
      const name = String(path.at(-1))
      if (Object.hasOwn(requestOptionRules, name)) return { path: name, message: misplacedOption }
      const isInner = path.length > 1
      const missing = listed.filter((other) => isInner || !Object.hasOwn(Object(params), other))
      const nearest = namesByProvider ? nearestName(name, missing) : nearestOf(name, missing)
      if (namesByProvider && nearest === undefined) return []
      const advice = nearest === undefined ? '' : ` Did you mean ${nearest}?`
      const names = listed.length === 0 ? 'The operation has none.' : `Those that exist are ${listed.join(', ')}.`
      const extra = isInner ? '' : ' A param that is not documented goes into the option extraParams.'
      return { path: path.join('.'), message: `is not a param.${advice} ${names}${extra}` }
    })
}

/** Returns the names that an operation does not have. One without a schema has none. */
export function unlistedParams(schema: Schema | undefined, params: unknown): UnlistedName[] {
  if (!isJsonObject(params)) return []
  return schema ? unlistedNames(params, schema.zod) : Object.keys(params).map((name) => ({ path: [name], listed: [] }))
}

function check(schema: Schema, params: unknown): ParamIssue[] {
  if (!isJsonObject(params)) return [{ path: 'params', message: `must be an object, not ${kindOf(params)}` }]
  const issues = schema.issues(params)
  if (issues.length === 0) return []
  const paths = issuePaths(issues, 'params')
  // A value of the wrong type may also fail another rule. The first issue says what to fix.
  return issues
    .map(({ message }, i) => ({ path: paths[i] as string, message }))
    .filter(({ path }, i) => paths.indexOf(path) === i)
}

type CheckedEndpoint = Pick<
  Endpoint,
  'query' | 'body' | 'images' | 'imageLists' | 'unconfirmed' | 'undeclared' | 'namesByProvider'
>

interface GivenParams {
  readonly query?: unknown
  readonly body?: unknown
}

/**
 * Rejects params that the contract definitely does not allow.
 *
 * @throws {InvalidParamsError} with an issue for each field
 */
export function checkParams(endpoint: CheckedEndpoint, params: GivenParams, call: CallFacts): void {
  const issues = paramIssues(endpoint, params)
  if (issues.length > 0) throw new InvalidParamsError({ ...callFacts(call), issues })
}

const misplacedOption = 'is an option of the request: pass it in the argument after the params'

/** Finds request options among params of any names. They would be sent, and have no effect. */
const misplacedOptions = (params: unknown): ParamIssue[] =>
  Object.keys(Object(params))
    .filter((name) => Object.hasOwn(requestOptionRules, name))
    .map((path) => ({ path, message: misplacedOption }))

/** Finds images under names that are sent unchanged: JSON would contain every byte as a member of an object. */
const misnamedImages = (endpoint: CheckedEndpoint, body: unknown): ParamIssue[] => {
  const { unconfirmed, images = [], imageLists = [] } = endpoint
  const named = [...images, ...imageLists]
  return Object.entries(unconfirmed && isJsonObject(body) ? body : {})
    .filter(([name, value]) => !named.includes(name) && typeof value !== 'string' && normalizeImage(value))
    .map(([path]) => ({ path, message: `is an image, which only ${named.join(' and ')} can be` }))
}

/** Finds params that the contract definitely does not allow. */
export function paramIssues(endpoint: CheckedEndpoint, params: GivenParams): ParamIssue[] {
  const { query = {}, body = {} } = params
  // Of other operations, the contract does not list the params.
  const isOpen = endpoint.unconfirmed || endpoint.undeclared
  const issues = isOpen
    ? misplacedOptions(query)
    : [...unknownParams(endpoint, endpoint.query, query), ...unknownParams(endpoint, endpoint.body, body)]
  if (endpoint.query) issues.push(...check(endpoint.query, query))
  if (endpoint.body) {
    // The schema describes an image as text in JSON. The other forms are checked here.
    const images: Record<string, unknown> = {}
    for (const field of isJsonObject(body) ? imageFields(endpoint, body) : []) {
      const value = (body as JsonObject)[field]
      const list = endpoint.imageLists?.includes(field) && Array.isArray(value) ? value : undefined
      for (const [i, image] of (list ?? [value]).entries()) {
        const message = imageIssue(image)
        if (message !== undefined) issues.push({ path: list ? `${field}.${i}` : field, message })
      }
      images[field] = list ? list.map(() => 'image') : 'image'
    }
    issues.push(...misnamedImages(endpoint, body))
    issues.push(...check(endpoint.body, isJsonObject(body) ? { ...body, ...images } : body))
  }
  return issues
}

/** A backslash, plain or percent-encoded, because a proxy may read it as a slash. */
const backslash = /\\|%5c/i

/** `.` and `..`, plain or percent-encoded, because a proxy may resolve them. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

/** Also between slashes that are encoded, because a proxy may decode them first. */
const hasDotSegment = (text: string) => text.split(/\/|%2f/i).some((part) => dotSegment.test(part))

const loneSurrogates = 'must not contain lone surrogates'

function segmentIssue(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty string'
  if (hasDotSegment(value)) return 'must not contain a dot segment'
  if (backslash.test(value)) return 'must not contain a backslash'
  if (!value.isWellFormed()) return loneSurrogates
  return undefined
}

/**
 * Fills a path template with encoded ids.
 *
 * @throws {InvalidParamsError} an id could change the path
 */
export function fillPath(template: string, ids: Readonly<Record<string, string>>, call: CallFacts): string {
  if (!template.includes('{')) return template
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name]
    const message = segmentIssue(value)
    if (message !== undefined) throw invalidParam(call, name, message)
    return encodeURIComponent(value as string)
  })
}

/**
 * Encodes a query. Members that are `undefined` are omitted, a list gives its name several times, and a date is ISO
 * 8601.
 *
 * @throws {InvalidParamsError} a name or value cannot be encoded
 */
export function queryString(query: Readonly<Record<string, unknown>> | undefined, call: CallFacts): string {
  let text = ''
  for (const [name, field] of Object.entries(query ?? {})) {
    for (const value of Array.isArray(field) ? field : [field]) {
      if (value === undefined) continue
      if (!isQueryValue(value)) throw invalidParam(call, name.toWellFormed(), queryForm)
      // A name or a value with half a character has no encoding, and encodeURIComponent throws a URIError for it.
      const pair = [name, value instanceof Date ? value.toISOString() : String(value)]
      if (!pair.every((part) => part.isWellFormed())) throw invalidParam(call, name.toWellFormed(), loneSurrogates)
      text += `${text === '' ? '?' : '&'}${pair.map(encodeURIComponent).join('=')}`
    }
  }
  return text
}

const queryForm = 'must be a string, a number, true or false, a valid Date, or a list of these'

const isQueryValue = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) || (value instanceof Date && !Number.isNaN(value.getTime()))

/** True for an encoded path, without a query, that does not change when it is resolved. */
function isEncodedPath(path: unknown): path is string {
  if (typeof path !== 'string' || !/^\/[^/]/.test(path) || backslash.test(path)) return false
  if (new URL(path, 'https://host').pathname !== path || hasDotSegment(path)) return false
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/**
 * Checks a path that a caller wrote.
 *
 * @throws {InvalidParamsError}
 */
export function checkPath(path: unknown, operation: string): void {
  if (isEncodedPath(path)) return
  const message = 'must be an encoded path that starts with one slash, without host, query, backslash or dot segments'
  throw invalidParam(operation, 'path', message)
}

type GivenHeaders = NonNullable<ClientOptions['headers']>

/** Headers that the client sets itself, or that frame the message. */
const reservedHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

const headerName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** True if a credential can be sent unchanged in a header. */
export const isHeaderValue = (value: string) => value !== '' && headerValue.test(value) && value.trim() === value

/** Says what a credential of a header must be that it is not. A character that no key has is named. */
export function credentialFault(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : ''
  // Such as the ellipsis of a key that a page shortened, a zero-width space, or the quotation marks of a text editor.
  const [odd] = text.match(/[^\s -~\xa1-\xac\xae-\xff]|\ufeff/u) ?? []
  if (odd) return `not contain ${codePoint(odd)}: copy it again`
  if (!isHeaderValue(text)) return 'be a non-empty string without line breaks and without spaces around it'
  return aSecret.allows(text) ? undefined : aSecret.form
}

/** True for `Headers`, of this realm or of another copy of undici. A `Headers` object has no properties of its own. */
const isHeaders = (value: unknown): value is Headers =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'getSetCookie' in value

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(Symbol.iterator in value)

/** Returns the names and values of headers that a caller passed. What is `undefined` is omitted. */
const headerEntries = (headers: GivenHeaders): [name: string, value: string][] =>
  (isHeaders(headers) ? [...headers] : Object.entries(headers)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )

/** Copies headers that a caller passed. */
export const readHeaders = (headers: GivenHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(headerEntries(headers))

/** Finds what is wrong with headers that a caller passed. A value is never quoted. */
function* headerIssues(headers: GivenHeaders = {}): Generator<ParamIssue> {
  if (!isRecord(headers) && !isHeaders(headers)) {
    yield { path: 'headers', message: 'must be Headers or an object of names and values' }
    return
  }
  for (const [name, value] of headerEntries(headers)) {
    const message = headerIssue(name, value)
    if (message !== undefined) yield { path: `headers.${headerName.test(name) ? name : '?'}`, message }
  }
}

function headerIssue(name: string, value: unknown): string | undefined {
  if (!headerName.test(name)) return 'is not a header name'
  if (reservedHeaders.has(name.toLowerCase())) return 'is set by the client'
  if (typeof value !== 'string') return 'must be a string'
  if (!headerValue.test(value)) return 'must not contain line breaks, NUL or characters beyond Latin-1'
  return undefined
}

/**
 * @param owner what takes the headers: a class or a function
 * @throws {ConfigurationError} a header is invalid
 */
export function checkHeaders(owner: string, headers: ClientOptions['headers']): void {
  const issue = headerIssues(headers).next().value
  if (issue) throw new ConfigurationError({ message: `${owner}: ${issue.path} ${issue.message}` })
}

/** @throws {InvalidParamsError} `options` is not an object, has a name that is not listed, or a wrong value */
export function checkCallOptions<Options>(
  options: Options,
  operation: string,
  rules: OptionRules<Options>,
  path = 'options',
): void {
  if (!isRecord(options)) throw invalidParam(operation, path, `must be an object, not ${kindOf(options)}`)
  const issues = optionIssues(options, rules)
  if ('headers' in rules) issues.push(...headerIssues((options as RequestOptions).headers))
  if (issues.length > 0) throw new InvalidParamsError({ operation, issues })
}
