import { InvalidParamsError } from '../errors/call-errors.ts'

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
export function fillPath(template: string, ids: Readonly<Record<string, string>>, operation: string): string {
  if (!template.includes('{')) return template
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = ids[name]
    const message = segmentFault(value)
    if (message !== undefined) throw new InvalidParamsError([{ path: name, message }], { operation, attempts: 0 })
    return encodeURIComponent(value as string)
  })
}

/** Spells a query; members that are `undefined` are left out. */
export function queryString(query: Readonly<Record<string, unknown>> | undefined): string {
  let text = ''
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined) continue
    text += `${text === '' ? '?' : '&'}${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
  }
  return text
}

/**
 * Looks at a whole path that a caller wrote.
 *
 * @throws {InvalidParamsError} unless it is a path alone, encoded, that stays what it is when it is resolved
 */
export function checkPath(path: string, operation: string): void {
  const isPath = typeof path === 'string' && /^\/[^/\\]/.test(path)
  if (isPath && new URL(path, 'https://host').pathname === path && !path.split('/').some((part) => dotSegment.test(part))) {
    return
  }
  const message = 'must be an encoded path such as /api/v2/session, without host, query or dot segments'
  throw new InvalidParamsError([{ path: 'path', message }], { operation, attempts: 0 })
}
