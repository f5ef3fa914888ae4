import { StoreError } from '../errors/sdk-error.ts'

/**
 * Returns a lifetime in whole milliseconds, or `undefined` if the value does not expire. Fractions are rounded up, so
 * that nothing expires early. A negative lifetime becomes 0. A lifetime above `Number.MAX_SAFE_INTEGER` counts as no
 * expiry, because engines cannot count that far.
 */
export function ttl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs))
    throw new StoreError({ message: 'ttlMs must be a number' })
  return ttlMs > Number.MAX_SAFE_INTEGER ? undefined : Math.max(0, Math.ceil(ttlMs))
}
