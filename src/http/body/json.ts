import { badParam, type CallFacts } from '../../errors/call-errors.ts'

/** True for an object literal or a parsed object, false for a stream, a date or another class. */
function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Sorts members by name, so that equal params give equal bytes, in any order. */
export const sortedByName = (params: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))

const ordered = (_: string, value: unknown) => (isPlainObject(value) ? sortedByName(value) : value)

/** @throws {InvalidParamsError} the value has no JSON form, for example because of a cycle or a BigInt */
export function toJson(value: unknown, call: CallFacts): string {
  try {
    // Without a key only this call retries it, and this call keeps the text.
    return call.idempotencyKey === undefined ? JSON.stringify(value) : JSON.stringify(value, ordered)
  } catch (thrown) {
    throw badParam(call, 'params', 'cannot be written as JSON', thrown)
  }
}
