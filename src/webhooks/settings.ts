import { webhookEventStatuses } from '../contract/webhooks/events.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { aFunction, checkMethods, checkOption } from '../options/rules.ts'
import type { EventProcessorOptions, WebhookHandlerOptions } from './options.ts'
import { type CheckedTrust, readTrust } from './signature.ts'

export interface ProcessorSettings {
  /** The function that the options were passed to, for error messages. */
  readonly owner: string
  readonly name: string | undefined
  readonly leaseMs: number
  readonly retainMs: number
}

const dayMs = 86_400_000

/**
 * Checks the options of a processor, and returns those that have a default.
 *
 * @param owner the function that the options were passed to
 * @throws {ConfigurationError} an option has a wrong value
 */
export function readProcessorSettings(owner: string, options: EventProcessorOptions): ProcessorSettings {
  const { name, leaseMs = 60_000, retainMs = 7 * dayMs } = options
  checkCallbacks(owner, options)
  return { owner, name, leaseMs, retainMs }
}

/** @throws {ConfigurationError} a callback or consumer is not one, or there is none */
function checkCallbacks(owner: string, options: EventProcessorOptions): void {
  const { on, consumers, onUnhandled, onTestEvent } = options
  const hasOther = consumers !== undefined || onUnhandled !== undefined || onTestEvent !== undefined
  if (on === null || typeof on !== (on === undefined && hasOther ? 'undefined' : 'object')) {
    throw new ConfigurationError({
      message:
        `${owner}: on must be an object of callbacks, such as { "verification.approved": async (event) => {} }. ` +
        'It can be omitted only if you pass consumers, onUnhandled or onTestEvent.',
    })
  }
  for (const [type, callback] of Object.entries(on ?? {})) checkOption(owner, `on["${type}"]`, callback, aFunction)
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

export interface HandlerSettings {
  readonly maxBodyBytes: number
  readonly trust: CheckedTrust
}

/**
 * Checks the options that a handler has in addition to those of a processor.
 *
 * @param owner the function that the options were passed to
 * @param retainMs how long events are remembered
 * @throws {ConfigurationError} an option has a wrong value
 */
export function readHandlerSettings(owner: string, options: WebhookHandlerOptions, retainMs: number): HandlerSettings {
  const { maxBodyBytes = 8 * 1024 * 1024 } = options
  const trust = readTrust(owner, options)
  const toleranceMs = trust.toleranceSeconds * 1000
  if (retainMs < 2 * toleranceMs) {
    throw new ConfigurationError({
      message:
        `${owner}: retainMs must be at least ${2 * toleranceMs}, twice toleranceSeconds, because a delivery is accepted for that ` +
        'long. Otherwise an event could be handled again after it was forgotten.',
    })
  }
  return { maxBodyBytes, trust }
}
