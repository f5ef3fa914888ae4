import { webhookEventStatuses } from '../contract/webhooks/events.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { isLogger, loggerForm } from '../runtime/logger.ts'
import { longestTimerMs } from '../runtime/timing.ts'
import type { WebhookCallbacks } from './handler-options.ts'
import { readSecrets, readTolerance, type WebhookTrust } from './signature.ts'

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
export function readHandlerSettings(
  options: WebhookTrust & { readonly [Name in keyof HandlerSettings]?: number | undefined } & {
    readonly on?: unknown
    readonly logger?: unknown
  },
): HandlerSettings {
  readSecrets(options.secret)
  readTolerance(options.toleranceSeconds)
  if (typeof options.on !== 'object' || options.on === null) {
    throw new ConfigurationError({
      message: 'on must be an object of callbacks, such as { "verification.approved": async (event) => {} }',
    })
  }
  const { logger } = options
  if (logger !== undefined && !isLogger(logger))
    throw new ConfigurationError({ message: `logger must ${loggerForm}` })
  for (const [type, callback] of Object.entries(options.on)) {
    if (callback !== undefined && typeof callback !== 'function')
      throw new ConfigurationError({ message: `on["${type}"] must be a function` })
  }
  const { leaseMs = 60_000, retainMs = 7 * dayMs, maxBodyBytes = 1024 * 1024 } = options
  for (const [name, value] of Object.entries({ leaseMs, retainMs, maxBodyBytes })) {
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new ConfigurationError({ message: `${name} must be a positive integer` })
  }
  if (leaseMs > longestTimerMs)
    throw new ConfigurationError({ message: `leaseMs must be at most ${longestTimerMs}` })
  return { leaseMs, retainMs, maxBodyBytes }
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
