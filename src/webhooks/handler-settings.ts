import type { ErrorDetail } from '../errors/error-detail.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { WebhookHandlerOptions } from './handler-options.ts'
import { checkCounts, checkFunctions } from './processing/processor-settings.ts'
import { readSecrets, readTolerance, type WebhookTrust } from './signature.ts'

export interface HandlerSettings {
  readonly maxBodyBytes: number
  readonly trust: WebhookTrust
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Checks the options that a handler has in addition to those of a processor.
 *
 * @param owner the function that the options were passed to
 * @param retainMs how long events are remembered
 * @throws {ConfigurationError} an option has a wrong value
 */
export function readHandlerSettings<Tx>(
  owner: string,
  { secret, toleranceSeconds, now, maxBodyBytes = 8 * 1024 * 1024, errorDetail }: WebhookHandlerOptions<Tx>,
  retainMs: number,
): HandlerSettings {
  const secrets = readSecrets(owner, secret)
  const toleranceMs = readTolerance(owner, toleranceSeconds) * 1000
  checkFunctions(owner, { now })
  checkCounts(owner, { maxBodyBytes })
  if (retainMs < 2 * toleranceMs) {
    throw new ConfigurationError({
      message:
        `${owner}: retainMs must be at least ${2 * toleranceMs}, twice toleranceSeconds, because a delivery is accepted for that ` +
        'long. Otherwise an event could be handled again after it was forgotten.',
    })
  }
  return { maxBodyBytes, trust: { secret: [...secrets], toleranceSeconds, now }, errorDetail }
}
