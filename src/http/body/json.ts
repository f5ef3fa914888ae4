import { type CallFacts, InvalidParamsError } from '../../errors/call-errors.ts'

/** An object as literals and parsers make them; streams, dates and the like are objects as well. */
export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Same params, same bytes: the order in which a caller wrote them must not tell two repeats apart. */
export const sortedByName = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))

const ordered = (_: string, value: unknown) => (isPlainObject(value) ? sortedByName(value) : value)

/** @throws {InvalidParamsError} for what JSON cannot hold, such as a cycle or a BigInt */
export function toJson(value: unknown, call: CallFacts): string {
  try {
    // Without a key nobody repeats it but this call, which keeps what it wrote.
    return call.idempotencyKey === undefined ? JSON.stringify(value) : JSON.stringify(value, ordered)
  } catch (thrown) {
    throw new InvalidParamsError([{ path: 'params', message: 'cannot be written as JSON' }], call, thrown)
  }
}
