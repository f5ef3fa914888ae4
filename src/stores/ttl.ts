import { StoreError } from '../errors/sdk-error.ts'

/**
 * A lifetime in whole milliseconds, or `undefined` for ever. A part of a millisecond counts as one, so that
 * nothing ends early; without anything left, it is 0. Engines cannot count beyond what is exact as a number.
 */
export function ttl(ttlMs: number | undefined): number | undefined {
  if (ttlMs === undefined) return undefined
  if (typeof ttlMs !== 'number' || Number.isNaN(ttlMs)) throw new StoreError('ttlMs must be a number')
  return ttlMs > Number.MAX_SAFE_INTEGER ? undefined : Math.max(0, Math.ceil(ttlMs))
}
