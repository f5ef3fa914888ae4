import { ConfigurationError } from '../errors/sdk-error.ts'

/** How the issuer's keys are kept. */
export interface JwksOptions {
  /** How long a set is used without asking again, in milliseconds. @default 600_000 */
  readonly cacheMs?: number | undefined
  /** How much longer known keys serve while the endpoint does not, in milliseconds. @default 3_600_000 */
  readonly maxStaleMs?: number | undefined
  /** Longest wait for the endpoint, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined
}

const defaultToleranceSeconds = 30
const largestToleranceSeconds = 300

/** @throws {ConfigurationError} unless it is from 0 to 300 */
export function readTolerance(seconds = defaultToleranceSeconds): number {
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= largestToleranceSeconds) return seconds
  throw new ConfigurationError(`clockToleranceSeconds must be from 0 to ${largestToleranceSeconds}`)
}

/** @throws {ConfigurationError} */
export function readJwksOptions(
  options: JwksOptions = {},
): Required<{ [Name in keyof JwksOptions]: number }> {
  const { cacheMs = 600_000, maxStaleMs = 3_600_000, timeoutMs = 5_000 } = options
  for (const [name, value] of Object.entries({ cacheMs, maxStaleMs, timeoutMs })) {
    if (!Number.isSafeInteger(value) || value < 0 || (name === 'timeoutMs' && value === 0)) {
      throw new ConfigurationError(`jwks.${name} must be a whole number of milliseconds`)
    }
  }
  return { cacheMs, maxStaleMs, timeoutMs }
}
