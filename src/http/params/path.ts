import { badParam, type CallFacts } from '../../errors/call-errors.ts'

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
    if (message !== undefined) throw badParam(call, name, message)
    return encodeURIComponent(value as string)
  })
}

/**
 * Encodes a query. Members that are `undefined` are omitted, a list gives its name several times, and a date is ISO 8601.
 *
 * @throws {InvalidParamsError} a name or value cannot be encoded
 */
export function queryString(query: Readonly<Record<string, unknown>> | undefined, call: CallFacts): string {
  let text = ''
  for (const [name, given] of Object.entries(query ?? {})) {
    for (const value of Array.isArray(given) ? given : [given]) {
      if (value === undefined) continue
      if (!isQueryValue(value)) throw badParam(call, name.toWellFormed(), queryForm)
      const pair = [name, value instanceof Date ? value.toISOString() : String(value)]
      if (!pair.every((part) => part.isWellFormed()))
        throw badParam(call, name.toWellFormed(), loneSurrogates)
      text += `${text === '' ? '?' : '&'}${pair.map(encodeURIComponent).join('=')}`
    }
  }
  return text
}

const queryForm = 'must be a string, a number, true or false, a valid Date, or a list of these'

const isQueryValue = (value: unknown) =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (value instanceof Date && !Number.isNaN(value.getTime()))

/** True for an encoded path, without a query, that does not change when it is resolved. */
export function isEncodedPath(path: unknown): path is string {
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
  const message =
    'must be an encoded path that starts with one slash, without host, query, backslash or dot segments'
  throw badParam(operation, 'path', message)
}
