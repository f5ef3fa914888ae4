import { InvalidParamsError, invalidParam, type ParamIssue } from '../../errors/call-errors.ts'
import { kindOf, missingOptions, type OptionRules, optionIssues } from '../../errors/options.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { codePoint } from '../../runtime/code-point.ts'
import type { ClientOptions, RequestOptions } from './options.ts'

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
export const isHeaderValue = (value: string) =>
  value !== '' && headerValue.test(value) && value.trim() === value

/** Says what a credential of a header must be that it is not. A character that no key has is named. */
export function credentialFault(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : ''
  // Such as the ellipsis of a key that a page shortened, a zero-width space, or the quotation marks of a text editor.
  const [odd] = text.match(/[^\s -~\xa1-\xac\xae-\xff]|\ufeff/u) ?? []
  if (odd) return `not contain ${codePoint(odd)}: copy it again`
  return isHeaderValue(text)
    ? undefined
    : 'be a non-empty string without line breaks and without spaces around it'
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
  const issues = [...optionIssues(options, rules), ...missingOptions(options, rules)]
  if (issues.length > 0) throw new InvalidParamsError({ operation, issues })
}

/** @throws {InvalidParamsError} an option is invalid */
export function checkRequestOptions<Options extends RequestOptions>(
  options: Options,
  operation: string,
  rules: OptionRules<Options>,
): void {
  if (!isRecord(options))
    throw invalidParam(operation, 'options', `must be an object, not ${kindOf(options)}`)
  const issues = [...optionIssues(options, rules), ...headerIssues(options.headers)]
  if (issues.length > 0) throw new InvalidParamsError({ operation, issues })
}
