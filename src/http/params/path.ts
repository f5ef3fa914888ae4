import { type CallFacts, InvalidParamsError } from '../../errors/call-errors.ts'

/** `.` and `..`, plain or percent-encoded: a proxy may resolve them before the service sees the path. */
const dotSegment = /^(?:\.|%2e){1,2}$/i

function segmentFault(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty string'
  if (dotSegment.test(value)) return 'must not be a dot segment'
  if (!value.isWellFormed()) return 'must not hold lone surrogates'
  return undefined
}

/**
 * Fills a path template with encoded ids.
 *
 * @throws {InvalidParamsError} for an id that could change the path
 */
export function fillPath(template: string, ids: Readonly<Record<string, string>>, call: CallFacts): string {
  if (!template.includes('{')) return template
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name]
    const message = segmentFault(value)
    if (message !== undefined) throw new InvalidParamsError([{ path: name, message }], call)
    return encodeURIComponent(value as string)
  })
}

/**
 * Spells a query; members that are `undefined` are left out.
 *
 * @throws {InvalidParamsError} for text that cannot be encoded
 */
export function queryString(query: Readonly<Record<string, unknown>> | undefined, call: CallFacts): string {
  let text = ''
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    const pair = [name, String(value)]
    if (!pair.every((part) => part.isWellFormed())) {
      const issue = { path: name.toWellFormed(), message: 'must not hold lone surrogates' }
      throw new InvalidParamsError([issue], call)
    }
    text += `${text === '' ? '?' : '&'}${pair.map(encodeURIComponent).join('=')}`
  }
  return text
}

/** Whether it is a path alone, encoded, that stays what it is when it is resolved. */
export function isEncodedPath(path: unknown): path is string {
  if (typeof path !== 'string' || !/^\/[^/\\]/.test(path)) return false
  if (
    new URL(path, 'https://host').pathname !== path ||
    path.split('/').some((part) => dotSegment.test(part))
  ) {
    return false
  }
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

/**
 * Looks at a whole path that a caller wrote.
 *
 * @throws {InvalidParamsError}
 */
export function checkPath(path: unknown, operation: string): void {
  if (isEncodedPath(path)) return
  const message = 'must be an encoded path that starts with one slash, without host, query or dot segments'
  throw new InvalidParamsError([{ path: 'path', message }], { operation, attempts: 0 })
}
