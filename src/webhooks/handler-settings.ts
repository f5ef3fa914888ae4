import { webhookEventStatuses } from '../contract/webhooks/events.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { isLogger, loggerForm } from '../runtime/logger.ts'
import { longestTimerMs } from '../runtime/timing.ts'
import type { WebhookCallbacks, WebhookHandlerOptions } from './handler-options.ts'
import { readSecrets, readTolerance } from './signature.ts'

export interface HandlerSettings {
  readonly leaseMs: number
  readonly retainMs: number
  readonly maxBodyBytes: number
}

const dayMs = 86_400_000

/**
 * Checks the options of a handler, and returns those that have a default.
 *
 * @throws {ConfigurationError} an option has a wrong value
 */
export function readHandlerSettings(options: WebhookHandlerOptions): HandlerSettings {
  readSecrets(options.secret)
  const toleranceMs = readTolerance(options.toleranceSeconds) * 1000
  checkCallbacks(options)
  const { leaseMs = 60_000, retainMs = 7 * dayMs, maxBodyBytes = 8 * 1024 * 1024 } = options
  for (const [name, value] of Object.entries({ leaseMs, retainMs, maxBodyBytes })) {
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new ConfigurationError({ message: `${name} must be a positive integer` })
  }
  if (leaseMs > longestTimerMs)
    throw new ConfigurationError({ message: `leaseMs must be at most ${longestTimerMs}` })
  if (retainMs < 2 * toleranceMs) {
    throw new ConfigurationError({
      message:
        `retainMs must be at least ${2 * toleranceMs}, twice toleranceSeconds, because a delivery is accepted for that ` +
        'long. Otherwise an event could be handled again after it was forgotten.',
    })
  }
  return { leaseMs, retainMs, maxBodyBytes }
}

/** @throws {ConfigurationError} a callback is not a function, or the logger is not a logger */
function checkCallbacks(options: WebhookHandlerOptions): void {
  const { on, onUnhandled, onTestEvent, onError, now, logger } = options
  if (typeof on !== 'object' || on === null) {
    throw new ConfigurationError({
      message: 'on must be an object of callbacks, such as { "verification.approved": async (event) => {} }',
    })
  }
  const named = Object.entries(on).map(([type, callback]) => [`on["${type}"]`, callback] as const)
  for (const [name, callback] of [...named, ...Object.entries({ onUnhandled, onTestEvent, onError, now })]) {
    if (callback !== undefined && typeof callback !== 'function')
      throw new ConfigurationError({ message: `${name} must be a function` })
  }
  if (logger !== undefined && !isLogger(logger))
    throw new ConfigurationError({ message: `logger must ${loggerForm}` })
}

/** Returns an error that names the types that the contract does not list, or `undefined` if there are none. */
export function unlistedTypes(on: WebhookCallbacks): ConfigurationError | undefined {
  const types = Object.entries(on).flatMap(([type, callback]) =>
    callback === undefined || Object.hasOwn(webhookEventStatuses, type) ? [] : `"${type}"`,
  )
  if (types.length === 0) return undefined
  return new ConfigurationError({
    message:
      `on has a callback for ${types.join(', ')}, which this version does not list. If that is a spelling mistake, ` +
      `the callback never runs. The listed types are ${Object.keys(webhookEventStatuses).join(', ')}.`,
  })
}
