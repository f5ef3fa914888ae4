import { configuration, type ErrorDetail } from '../errors/error-detail.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { aLogger, checkOptions, errorDetailRule } from '../options/rules.ts'
import { share, sharedKey, sharedValue } from '../runtime/copies.ts'
import { environment } from '../runtime/environment.ts'
import { type Logger, logLevels } from '../runtime/logger.ts'
import { anInstrumentation, type Instrumentations } from './instrumentation.ts'

/** Who learns what happens. */
export interface ObservationOptions {
  /**
   * Receives log records: `debug` for attempts, responses and operations that succeeded, `info` for deliveries and
   * sign-ins that were handled, `warn` for retries, failures, rejected requests and responses that are not as
   * documented, `error` for failures of a handler and of your callbacks. They contain no secrets, personal data or
   * images.
   *
   * @default that of `configure`, otherwise `console.error` if env `SVC_LOG` is `debug`, `info`, `warn` or `error`.
   *   Without both, only what would be lost is written, to `console.error`: failures of handlers without `onError`, and
   *   rejections at most once a minute for each reason
   */
  readonly logger?: Logger | undefined
  /**
   * Observes the work, for traces and metrics: `openTelemetry()` of `identity-service-sdk/opentelemetry`, or your own.
   *
   * @default that of `configure`
   */
  readonly instrumentation?: Instrumentations | undefined
  /**
   * Whether errors and logs show what others wrote: the message and the fields of the service, the body of an
   * unexpected response, and what the platform, a store or your own callbacks threw. `'safe'` shows none of it. It can
   * always be read: `error.serviceMessage`, `error.fieldErrors`, `error.body`, `error.original`.
   *
   * @default that of `configure`, otherwise env `SVC_ERROR_DETAIL`, otherwise `'full'` if `NODE_ENV` is `development`
   *   or `test`, and `'safe'` if not
   */
  readonly errorDetail?: ErrorDetail | undefined
}

export const observationRules = {
  logger: aLogger,
  instrumentation: anInstrumentation,
  errorDetail: errorDetailRule,
}

/**
 * Sets the defaults of `logger`, `instrumentation` and `errorDetail` in this process: for each client, webhook handler,
 * event processor and store that has none of its own, also for those that exist already, and for other copies of the
 * package. What is made from a client takes the client's. The last call counts as a whole, so `configure({})` goes back
 * to the defaults.
 *
 * @throws {ConfigurationError} an option has a wrong value, or a name that is not an option
 *
 * @example
 * configure({ logger: console, instrumentation: openTelemetry() })
 */
export function configure(options: ObservationOptions): void {
  checkOptions('configure', options, observationRules)
  share(globalThis, configuration, { ...options })
}

/** Returns the default of the process. */
export const observationOfProcess = (): ObservationOptions =>
  (sharedValue(globalThis, configuration) as ObservationOptions | undefined) ?? {}

/**
 * Returns a logger that writes records of a level and above, if the environment names one. All go to `console.error`,
 * because `console.debug` would mix them with what a program prints.
 *
 * @throws {ConfigurationError} it names none
 */
export function loggerOfEnvironment(): Logger | undefined {
  const named = environment('SVC_LOG')
  if (named === undefined) return undefined
  const from = (logLevels as readonly string[]).indexOf(named)
  if (from < 0) throw new ConfigurationError({ message: `SVC_LOG must be ${logLevels.join(', ')}, or not set` })
  const at = (level: keyof Logger) =>
    logLevels.indexOf(level) < from
      ? () => {}
      : (message: string, fields?: object) =>
          console.error('identity-service-sdk: %s %s', level, message, ...(fields ? [fields] : []))
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

/** A client passes on what it was given. */
const passedOn = /* @__PURE__ */ sharedKey('observation.1')

/** Makes a client pass its options on to what is made from it. */
export function passOn(client: object, { logger, instrumentation, errorDetail }: ObservationOptions): void {
  share(client, passedOn, { logger, instrumentation, errorDetail })
}

/** Returns what a client passes on. A fake of it passes on nothing. */
export const observationOf = (client: object): ObservationOptions =>
  (sharedValue(client, passedOn) as ObservationOptions | undefined) ?? {}
