import { ConfigurationError } from '../../errors/sdk-error.ts'
import { durationForm, isDuration } from '../../http/params/options.ts'

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
  for (const [name, value] of Object.entries({ cacheMs, maxStaleMs })) {
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new ConfigurationError(`jwks.${name} must be a whole number of milliseconds, 0 or more`)
    }
  }
  if (!isDuration(timeoutMs)) throw new ConfigurationError(`jwks.timeoutMs must be ${durationForm}`)
  return { cacheMs, maxStaleMs, timeoutMs }
}

/** @throws {ConfigurationError} unless there is one, and each has a name */
export function readIssuers(issuer: unknown): readonly string[] {
  const issuers: unknown[] = Array.isArray(issuer) ? [...issuer] : [issuer]
  if (issuers.length > 0 && issuers.every((name) => typeof name === 'string' && name !== '')) {
    return issuers as string[]
  }
  throw new ConfigurationError('issuer must be a string that is not empty, or a list of such')
}
