import { webhookEventStatuses } from '../../contract/webhooks/events.ts'
import { checkMethods } from '../../errors/check-methods.ts'
import type { ErrorDetail } from '../../errors/error-detail.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLogger, loggerForm } from '../../runtime/logger.ts'
import { longestTimerMs } from '../../runtime/timing.ts'
import type { EventProcessorOptions } from './processor-options.ts'

export interface ProcessorSettings {
  /** The function that the options were passed to, for error messages. */
  readonly owner: string
  readonly name: string | undefined
  readonly leaseMs: number
  readonly retainMs: number
  readonly errorDetail: ErrorDetail | undefined
}

const dayMs = 86_400_000
/** Without a colon, which ends the name in a key of the store. */
const namePattern = /^[\w.-]{1,64}$/

/**
 * Checks the options of a processor, and returns those that have a default.
 *
 * @param owner the function that the options were passed to
 * @throws {ConfigurationError} an option has a wrong value
 */
export function readProcessorSettings<Tx>(
  owner: string,
  options: EventProcessorOptions<Tx>,
): ProcessorSettings {
  const { name, store, inbox, leaseMs = 60_000, retainMs = 7 * dayMs, logger, errorDetail } = options
  checkCallbacks(owner, options)
  if (name !== undefined && !(typeof name === 'string' && namePattern.test(name))) {
    throw new ConfigurationError({
      message: `${owner}: name must have 1 to 64 letters, digits, underscores, dots and hyphens`,
    })
  }
  if (inbox !== undefined) {
    checkMethods(owner, 'inbox', inbox, ['process'], 'an inbox, such as postgresInbox(pool)')
    if (store !== undefined) {
      throw new ConfigurationError({
        message: `${owner}: store and inbox must not be passed together: an inbox records the events itself`,
      })
    }
  }
  checkCounts(owner, { leaseMs, retainMs })
  if (leaseMs > longestTimerMs)
    throw new ConfigurationError({ message: `${owner}: leaseMs must be at most ${longestTimerMs}` })
  if (logger !== undefined && !isLogger(logger))
    throw new ConfigurationError({ message: `${owner}: logger must ${loggerForm}` })
  return { owner, name, leaseMs, retainMs, errorDetail }
}

/** @throws {ConfigurationError} a value is not a positive integer */
export function checkCounts(owner: string, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isSafeInteger(value) || value <= 0)
      throw new ConfigurationError({ message: `${owner}: ${name} must be a positive integer` })
  }
}

/** @throws {ConfigurationError} a value is neither a function nor `undefined` */
export function checkFunctions(owner: string, values: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && typeof value !== 'function')
      throw new ConfigurationError({ message: `${owner}: ${name} must be a function` })
  }
}

/** @throws {ConfigurationError} a callback or consumer is not one, or there is none */
function checkCallbacks<Tx>(owner: string, options: EventProcessorOptions<Tx>): void {
  const { on, consumers, onUnhandled, onTestEvent, onError } = options
  const hasOther = consumers !== undefined || onUnhandled !== undefined || onTestEvent !== undefined
  if (on === null || typeof on !== (on === undefined && hasOther ? 'undefined' : 'object')) {
    throw new ConfigurationError({
      message:
        `${owner}: on must be an object of callbacks, such as { "verification.approved": async (event) => {} }. ` +
        'It can be omitted only if you pass consumers, onUnhandled or onTestEvent.',
    })
  }
  const named = Object.entries(on ?? {}).map(([type, callback]) => [`on["${type}"]`, callback] as const)
  checkFunctions(owner, { ...Object.fromEntries(named), onUnhandled, onTestEvent, onError })
  if (consumers !== undefined && !Array.isArray(consumers))
    throw new ConfigurationError({ message: `${owner}: consumers must be an array` })
  consumers?.forEach((consumer, i) => {
    const what = 'an EventConsumer, such as a verification manager'
    checkMethods(owner, `consumers[${i}]`, consumer, ['handle'], what)
  })
  const callable = [...Object.values(on ?? {}), ...(consumers ?? []), onUnhandled, onTestEvent]
  if (callable.every((one) => one === undefined)) {
    throw new ConfigurationError({
      message:
        `${owner}: nothing would be called: pass a callback in on, a consumer, onUnhandled or onTestEvent. ` +
        'Otherwise every event would be accepted and lost.',
    })
  }
}

/** Returns an error that names the types that the contract does not list, or `undefined` if there are none. */
export function unlistedTypes(owner: string, on: object): ConfigurationError | undefined {
  const types = Object.entries(on).flatMap(([type, callback]) =>
    callback === undefined || Object.hasOwn(webhookEventStatuses, type) ? [] : `"${type}"`,
  )
  if (types.length === 0) return undefined
  return new ConfigurationError({
    message:
      `${owner}: on has a callback for ${types.join(', ')}, which this version does not list. If that is a spelling mistake, ` +
      `the callback never runs. The listed types are ${Object.keys(webhookEventStatuses).join(', ')}.`,
  })
}
