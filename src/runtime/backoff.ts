const baseDelayMs = 500
const longestDelayMs = 8_000

/**
 * Returns the wait before the next attempt, in milliseconds: exponential, with full jitter.
 *
 * @param retry counts from 1
 * @param random from 0 to 1
 */
export function backoffMs(retry: number, random: number): number {
  // Full jitter, so that callers that failed together do not retry together.
  return Math.round(random * Math.min(longestDelayMs, baseDelayMs * 2 ** (retry - 1)))
}
