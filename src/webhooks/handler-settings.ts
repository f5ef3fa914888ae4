import { ConfigurationError } from '../errors/sdk-error.ts'
import { readSecrets, readTolerance, type WebhookTrust } from './signature.ts'

export interface HandlerSettings {
  readonly leaseMs: number
  readonly retainMs: number
  readonly maxBodyBytes: number
}

const dayMs = 86_400_000
/** The longest delay that a timer can hold. */
const longestTimerMs = 2 ** 31 - 1

/** @throws {ConfigurationError} an option cannot work */
export function readHandlerSettings(
  options: WebhookTrust & { readonly [Name in keyof HandlerSettings]?: number | undefined } & {
    readonly on?: unknown
  },
): HandlerSettings {
  readSecrets(options.secret)
  readTolerance(options.toleranceSeconds)
  if (typeof options.on !== 'object' || options.on === null) {
    throw new ConfigurationError(
      'on must hold the callbacks, such as { "verification.approved": async (event) => {} }',
    )
  }
  for (const [type, callback] of Object.entries(options.on)) {
    if (callback !== undefined && typeof callback !== 'function')
      throw new ConfigurationError(`on["${type}"] must be a function`)
  }
  const { leaseMs = 60_000, retainMs = 7 * dayMs, maxBodyBytes = 1024 * 1024 } = options
  for (const [name, value] of Object.entries({ leaseMs, retainMs, maxBodyBytes })) {
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new ConfigurationError(`${name} must be a positive whole number`)
  }
  if (leaseMs > longestTimerMs) throw new ConfigurationError(`leaseMs must be at most ${longestTimerMs}`)
  return { leaseMs, retainMs, maxBodyBytes }
}
