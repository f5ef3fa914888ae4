import { badParam, InvalidParamsError, type ParamIssue } from '../../errors/call-errors.ts'
import { unknownOptions } from '../../errors/option-names.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { kindOf } from '../../runtime/kind-of.ts'
import { isLogger, loggerForm } from '../../runtime/logger.ts'
import { longestTimerMs } from '../../runtime/timing.ts'
import {
  type ClientOptions,
  type DispatcherLike,
  type RequestOptions,
  requestOptionNames,
} from './options.ts'

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
const visibleAscii = /^[\x21-\x7e]{1,255}$/

/** Returns what is wrong with a header, without its value. */
function headerIssue(name: string, value: unknown): string | undefined {
  if (!headerName.test(name)) return 'is not a header name'
  if (reservedHeaders.has(name.toLowerCase())) return 'is set by the client'
  if (typeof value !== 'string') return 'must be a string'
  if (!headerValue.test(value)) return 'must not contain line breaks, NUL or characters beyond Latin-1'
  return undefined
}

/** True if a credential can be sent unchanged in a header. */
export const isHeaderValue = (value: string) =>
  value !== '' && headerValue.test(value) && value.trim() === value

const isPositiveInteger = (value: unknown) => Number.isSafeInteger(value) && (value as number) > 0
const isRetryCount = (value: unknown) =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 10

export const isDuration = (value: unknown) => isPositiveInteger(value) && (value as number) <= longestTimerMs
export const durationForm = `a whole number of milliseconds from 1 to ${longestTimerMs}`

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(Symbol.iterator in value)

type SharedOptions = Pick<RequestOptions, 'timeoutMs' | 'deadlineMs' | 'maxRetries' | 'headers'>

/** Checks the options that clients and calls have in common. */
function* sharedIssues(options: SharedOptions): Generator<ParamIssue> {
  for (const name of ['timeoutMs', 'deadlineMs'] as const) {
    const value = options[name]
    if (value !== undefined && !isDuration(value)) {
      yield { path: name, message: `must be ${durationForm}` }
    }
  }
  if (options.maxRetries !== undefined && !isRetryCount(options.maxRetries)) {
    yield { path: 'maxRetries', message: 'must be a whole number from 0 to 10' }
  }
  const { headers = {} } = options
  if (!isRecord(headers) && !isHeaders(headers))
    yield { path: 'headers', message: 'must be Headers or an object of names and values' }
  else
    for (const [name, value] of headerEntries(headers)) {
      const message = headerIssue(name, value)
      if (message !== undefined) yield { path: `headers.${headerName.test(name) ? name : '?'}`, message }
    }
}

const isFunction = (value: unknown) => typeof value === 'function'

/** The options of clients alone: whether a value is valid, and what the message says after "must". */
const clientRules: readonly (readonly [
  keyof ClientOptions,
  isValid: (value: never) => boolean,
  form: string,
])[] = [
  ['connections', isPositiveInteger, 'be a positive whole number'],
  ['maxResponseBytes', isPositiveInteger, 'be a positive whole number'],
  ['fetch', isFunction, 'be a function'],
  ['onEvent', isFunction, 'be a function'],
  ['logger', isLogger, loggerForm],
  ['http2', (value) => typeof value === 'boolean', 'be true or false'],
  ['dispatcher', (value: DispatcherLike | null) => isFunction(value?.dispatch), 'be an undici Dispatcher'],
  [
    'responseValidation',
    (value: string) => ['strict', 'warn', 'off'].includes(value),
    "be 'strict', 'warn' or 'off'",
  ],
]

/**
 * @param owner what takes the options: a class or a function
 * @throws {ConfigurationError} an option is invalid
 */
export function checkClientOptions(owner: string, options: ClientOptions): void {
  const issue = sharedIssues(options).next().value
  if (issue) throw new ConfigurationError({ message: `${owner}: ${issue.path} ${issue.message}` })
  if (options.fetch !== undefined && options.dispatcher !== undefined) {
    throw new ConfigurationError({ message: `${owner}: pass fetch or dispatcher, not both` })
  }
  for (const [name, isValid, form] of clientRules) {
    const value = options[name]
    if (value !== undefined && !isValid(value as never))
      throw new ConfigurationError({ message: `${owner}: ${name} must ${form}` })
  }
}

/** @throws {InvalidParamsError} `options` is not an object, or has a name that is not listed */
export function checkCallOptionNames(
  options: unknown,
  operation: string,
  names: Readonly<Record<string, true>>,
  path = 'options',
): void {
  if (!isRecord(options)) throw badParam(operation, path, `must be an object, not ${kindOf(options)}`)
  const issues = [...unknownOptions(options, names)]
  if (issues.length > 0) throw new InvalidParamsError({ operation, issues })
}

/** @throws {InvalidParamsError} an option is invalid */
export function checkRequestOptions(
  options: RequestOptions,
  operation: string,
  names: Readonly<Record<string, true>> = requestOptionNames,
): void {
  checkCallOptionNames(options, operation, names)
  const issues = [...sharedIssues(options)]
  if (options.idempotencyKey !== undefined && !isIdempotencyKey(options.idempotencyKey)) {
    issues.push({ path: 'idempotencyKey', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (options.signal !== undefined && typeof options.signal?.addEventListener !== 'function') {
    issues.push({ path: 'signal', message: 'must be an AbortSignal' })
  }
  if (issues.length > 0) throw new InvalidParamsError({ operation, issues })
}

const isIdempotencyKey = (value: unknown) => typeof value === 'string' && visibleAscii.test(value)

type GivenHeaders = NonNullable<ClientOptions['headers']>

/** True for `Headers`, of this realm or of another copy of undici. A `Headers` object has no properties of its own. */
export const isHeaders = (value: unknown): value is Headers =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && 'getSetCookie' in value

/** Returns the names and values of headers that a caller passed. What is `undefined` is omitted. */
export const headerEntries = (headers: GivenHeaders): [name: string, value: string][] =>
  (isHeaders(headers) ? [...headers] : Object.entries(headers)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )

/** Copies headers that a caller passed. */
export const readHeaders = (headers: GivenHeaders): Readonly<Record<string, string>> =>
  Object.fromEntries(headerEntries(headers))
