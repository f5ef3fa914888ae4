/** Names the kind of a value without quoting it, because it may be a secret: `a string`, `an array`, `undefined`. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'object' && Symbol.iterator in value) return 'an iterable'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
