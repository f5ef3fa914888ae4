import { randomUUID } from '#platform'
import {
  testSessionPrefix,
  type WebhookEvent,
  type WebhookEventFor,
  type WebhookEventType,
} from '../contract/webhooks/events.ts'
import { storeError } from '../errors/sdk-error.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Store } from '../stores/store.ts'
import { type Claim, claimEvent } from './claim.ts'
import { type HandlerSettings, readHandlerSettings } from './handler-settings.ts'
import { readSecrets, type WebhookDelivery, type WebhookTrust } from './signature.ts'
import { verifyWebhook } from './verify.ts'

/** What runs for an event. What it throws, or rejects with, makes the event come again. */
export type WebhookCallback<Event = WebhookEvent> = (event: Event) => unknown

/** Read once, when the handler is made. */
export interface WebhookHandlerOptions extends WebhookTrust {
  /** Tells which events are handled: one that all processes share, where there are several. @default memoryStore() */
  readonly store?: Store | undefined
  /**
   * How long a callback holds its event while its process lives, in milliseconds. It is renewed as long as the
   * callback runs; after a crash another process takes the event over when it ends.
   *
   * @default 60_000
   */
  readonly leaseMs?: number | undefined
  /** How long a handled event is remembered, in milliseconds. @default 604_800_000 (7 days) */
  readonly retainMs?: number | undefined
  /** Larger bodies are refused unread, in bytes. @default 1_048_576 (1 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** What runs for each type of event, once an event. */
  readonly on: { readonly [Type in WebhookEventType]?: WebhookCallback<WebhookEventFor<Type>> | undefined }
  /** Hears of events without a callback, and of types that this version does not know. */
  readonly onUnhandled?: WebhookCallback | undefined
  /** Hears of the test events of the console, which go nowhere else. */
  readonly onTestEvent?: WebhookCallback | undefined
  /** Hears of every refusal and failure. The sender is told no more than the reason. */
  readonly onError?: ((error: unknown, context: { readonly event?: WebhookEvent }) => void) | undefined
}

/** What became of a delivery. */
export interface WebhookResult {
  /** What to answer. */
  readonly status: number
  /** What became of it, in one word. */
  readonly outcome: 'processed' | 'duplicate' | 'in_progress' | 'rejected' | 'failed' | 'test' | 'unhandled'
  /** Missing where the delivery was refused, or could not be looked at. */
  readonly event?: WebhookEvent
  /** What refused the delivery, or what the callback, the store or the clock threw. */
  readonly error?: unknown
  /** What to answer it with, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Takes deliveries: verifies each, and runs its callback once. */
export class WebhookReceiver {
  readonly settings: HandlerSettings
  readonly #options: WebhookHandlerOptions
  readonly #trust: WebhookTrust
  readonly #store: Store

  /** @throws {ConfigurationError} */
  constructor(options: WebhookHandlerOptions) {
    this.settings = readHandlerSettings(options)
    this.#options = { ...options, on: { ...options.on } }
    const { secret, toleranceSeconds, now } = options
    this.#trust = { secret: [...readSecrets(secret)], toleranceSeconds, now }
    this.#store = options.store ?? memoryStore()
  }

  /** Never rejects: whatever went wrong is in the result, and `onError` has heard of it. */
  async receive(delivery: WebhookDelivery): Promise<WebhookResult> {
    const { maxBodyBytes } = this.settings
    // Named one by one: whatever else an object has that is passed here must not say which secret counts.
    const { body, headers } = Object(delivery) as WebhookDelivery
    if (isLarger(body, maxBodyBytes)) return this.reject(413, bodyTooLarge(maxBodyBytes))
    let event: WebhookEvent
    try {
      event = await verifyWebhook({ body, headers, ...this.#trust })
    } catch (error) {
      if (error instanceof WebhookVerificationError) return this.reject(400, error)
      // A clock or headers that throw say nothing about the delivery: it may come again.
      return this.#fail(500, error)
    }
    const { callback, outcome } = this.#routeOf(event)
    // Nothing would run: nothing is claimed, and a callback that is added later still hears of the event.
    if (callback === undefined) return { status: 200, outcome, event }
    return this.#runOnce(event, callback, outcome)
  }

  /** Turns a delivery down. */
  reject(status: number, error: unknown): WebhookResult {
    this.#tell(error)
    return { status, outcome: 'rejected', error }
  }

  #routeOf(event: WebhookEvent): {
    callback: WebhookCallback | undefined
    outcome: 'processed' | 'test' | 'unhandled'
  } {
    const { on, onTestEvent, onUnhandled } = this.#options
    if (event.test === true || event.session_id.startsWith(testSessionPrefix)) {
      return { callback: onTestEvent, outcome: 'test' }
    }
    const own = Object.hasOwn(on, event.type) ? on[event.type as WebhookEventType] : undefined
    return own
      ? { callback: own as WebhookCallback, outcome: 'processed' }
      : { callback: onUnhandled, outcome: 'unhandled' }
  }

  async #runOnce(
    event: WebhookEvent,
    callback: WebhookCallback,
    outcome: 'processed' | 'test' | 'unhandled',
  ): Promise<WebhookResult> {
    const { leaseMs, retainMs } = this.settings
    let claim: Claim | 'done' | 'taken'
    try {
      claim = await claimEvent(this.#store, event.event_id, { holder: randomUUID(), leaseMs, retainMs })
    } catch (thrown) {
      return this.#fail(503, storeError(storeFailed, thrown), event)
    }
    if (claim === 'done') return { status: 200, outcome: 'duplicate', event }
    if (claim === 'taken')
      return { status: 503, outcome: 'in_progress', event, headers: { 'retry-after': retryAfter(leaseMs) } }
    claim.keep((error) => this.#tell(storeError(storeFailed, error), event))
    try {
      await callback(event)
    } catch (thrown) {
      await this.#settle(claim.free(), event)
      return this.#fail(500, thrown, event)
    }
    // The callback ran: whatever the store says now, another delivery must not be asked for.
    await this.#settle(claim.finish(), event)
    return { status: 200, outcome, event }
  }

  async #settle(step: Promise<void>, event: WebhookEvent): Promise<void> {
    try {
      await step
    } catch (thrown) {
      this.#tell(storeError(storeFailed, thrown), event)
    }
  }

  #fail(status: 500 | 503, error: unknown, event?: WebhookEvent): WebhookResult {
    this.#tell(error, event)
    const later = status === 503 ? { headers: { 'retry-after': retryAfter(this.settings.leaseMs) } } : {}
    return { status, outcome: 'failed', error, ...(event && { event }), ...later }
  }

  #tell(error: unknown, event?: WebhookEvent): void {
    try {
      const told: unknown = this.#options.onError?.(error, event === undefined ? {} : { event })
      // One that is async must not bring the process down either.
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // What it was told is in the result as well; an answer must still go out.
    }
  }
}

export const bodyTooLarge = (maxBodyBytes: number) =>
  new WebhookVerificationError('body_too_large', `The body is larger than maxBodyBytes (${maxBodyBytes})`)

/** A text may be up to three times as many bytes as it has characters. */
function isLarger(body: unknown, maxBodyBytes: number): boolean {
  if (typeof body !== 'string') return ((body as Uint8Array | undefined)?.byteLength ?? 0) > maxBodyBytes
  return (
    body.length > maxBodyBytes ||
    (body.length * 3 > maxBodyBytes && encoder.encode(body).byteLength > maxBodyBytes)
  )
}

const encoder = new TextEncoder()

const storeFailed = 'the store of webhook claims failed'

/** Whole seconds, and soon: a callback is rarely as slow as its lease. */
const retryAfter = (leaseMs: number) => String(Math.max(1, Math.min(5, Math.floor(leaseMs / 1000))))
