import {
  testSessionPrefix,
  type WebhookEvent,
  type WebhookEventFor,
  type WebhookEventType,
} from '../contract/webhooks/events.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { callHook } from '../runtime/call-hook.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { guardedStore } from '../stores/guarded-store.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Store } from '../stores/store.ts'
import { type Claim, claimEvent } from './claim.ts'
import { type HandlerSettings, readHandlerSettings } from './handler-settings.ts'
import type { WebhookHeaders } from './headers.ts'
import { readSecrets, type WebhookBody, type WebhookTrust } from './signature.ts'
import { verifyWebhook } from './verify.ts'

/**
 * Handles an event. If it throws or rejects, the handler responds with 500, and the callback may run again for the
 * same event. Make it idempotent.
 */
export type WebhookCallback<Event = WebhookEvent> = (event: Event) => unknown

/** Options of a webhook handler. They are read once. Later changes to the object have no effect. */
export interface WebhookHandlerOptions extends WebhookTrust {
  /** Records which events were handled. Share one store between processes. @default memoryStore() */
  readonly store?: Store | undefined
  /**
   * Length of the lease on an event while its callback runs, in milliseconds, at most 2^31 - 1. The lease is renewed
   * until the callback ends. If the process crashes, another process can take the event over when the lease ends.
   *
   * @default 60_000
   */
  readonly leaseMs?: number | undefined
  /** How long a handled event is remembered, in milliseconds. @default 604_800_000 (7 days) */
  readonly retainMs?: number | undefined
  /** Maximum size of a body, in bytes. A larger body is rejected with 413. @default 1_048_576 (1 MiB) */
  readonly maxBodyBytes?: number | undefined
  /** The callback for each type of event. It runs once for each event. */
  readonly on: { readonly [Type in WebhookEventType]?: WebhookCallback<WebhookEventFor<Type>> | undefined }
  /** Called for events that have no callback in `on`, and for event types that this version does not list. */
  readonly onUnhandled?: WebhookCallback | undefined
  /** Called for test events of the console. No other callback is called for them. */
  readonly onTestEvent?: WebhookCallback | undefined
  /** Called for every rejection and every failure. The response to the sender contains no more than the reason. */
  readonly onError?: ((error: unknown, context: { readonly event?: WebhookEvent }) => void) | undefined
}

/** The outcome of a delivery. */
export interface WebhookResult {
  /** Status of the response. */
  readonly status: number
  /** The outcome in one word. */
  readonly outcome: 'processed' | 'duplicate' | 'in_progress' | 'rejected' | 'failed' | 'test' | 'unhandled'
  /** The event. Absent if the delivery was rejected, or failed before its event was read. */
  readonly event?: WebhookEvent
  /** Why the delivery was rejected, or what the callback, the store or the clock threw. */
  readonly error?: unknown
  /** Headers of the response, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A request whose body may be missing or already parsed. */
interface ReceivedRequest {
  readonly body: unknown
  readonly headers: WebhookHeaders
}

/** Verifies deliveries and runs the callback of each event once. The adapters of all frameworks share it. */
export class WebhookReceiver {
  readonly settings: HandlerSettings
  readonly #options: WebhookHandlerOptions
  readonly #trust: WebhookTrust
  readonly #store: Store
  readonly #timing: Timing

  /** @throws {ConfigurationError} an option has a wrong value */
  constructor(options: WebhookHandlerOptions & { readonly [timing]?: Partial<Timing> }) {
    this.settings = readHandlerSettings(options)
    this.#options = { ...options, on: { ...options.on } }
    const { secret, toleranceSeconds, now } = options
    this.#trust = { secret: [...readSecrets(secret)], toleranceSeconds, now }
    this.#timing = { ...realTiming, ...options[timing] }
    const store = options.store ?? memoryStore({ now: this.#timing.wallClock })
    this.#store = guardedStore(store, 'the store of webhook claims failed')
  }

  /** Handles a delivery. Never rejects: every failure is in the result, and is passed to `onError`. */
  async receive(delivery: ReceivedRequest): Promise<WebhookResult> {
    // Only these two are read, so that no other member of the object can replace the secret, tolerance or clock.
    const { body, headers } = Object(delivery) as ReceivedRequest
    if (isLarger(body, this.settings.maxBodyBytes)) return this.rejectTooLarge()
    let event: WebhookEvent
    try {
      event = await verifyWebhook({ body: body as WebhookBody, headers, ...this.#trust })
    } catch (error) {
      if (error instanceof WebhookVerificationError) return this.#reject(400, error)
      // A clock or headers that throw are no reason to reject the delivery: the sender may send it again.
      return this.#fail(500, error)
    }
    const { callback, outcome } = this.#routeOf(event)
    // The event is not claimed, so that a callback that you add later still runs for it.
    if (callback === undefined) return { status: 200, outcome, event }
    return this.#runOnce(event, callback, outcome)
  }

  /** Rejects a delivery whose body has more than `maxBodyBytes`. */
  rejectTooLarge(): WebhookResult {
    const { maxBodyBytes } = this.settings
    const message = `The body is larger than maxBodyBytes (${maxBodyBytes}). If the event is genuine, raise the limit.`
    return this.#reject(413, new WebhookVerificationError('body_too_large', message))
  }

  /** Rejects a delivery whose body was not received to its end. */
  rejectIncomplete(cause: unknown): WebhookResult {
    const message = 'The connection was closed before the whole body was received'
    return this.#reject(400, new WebhookVerificationError('body_incomplete', message, cause))
  }

  #reject(status: 400 | 413, error: WebhookVerificationError): WebhookResult {
    this.#report(error)
    return { status, outcome: 'rejected', error }
  }

  #fail(status: 500 | 503, error: unknown, event?: WebhookEvent): WebhookResult {
    this.#report(error, event)
    const retry = status === 503 ? { headers: this.#retryAfter() } : {}
    return { status, outcome: 'failed', error, ...(event && { event }), ...retry }
  }

  /** In whole seconds. At most 5, because a callback rarely takes as long as its lease. */
  #retryAfter() {
    const seconds = Math.max(1, Math.min(5, Math.floor(this.settings.leaseMs / 1000)))
    return { 'retry-after': String(seconds) }
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
    let claim: Claim | 'done' | 'in_progress'
    try {
      const options = { holder: crypto.randomUUID(), leaseMs, retainMs, timing: this.#timing }
      claim = await claimEvent(this.#store, event.event_id, options)
    } catch (error) {
      return this.#fail(503, error, event)
    }
    if (claim === 'done') return { status: 200, outcome: 'duplicate', event }
    if (claim === 'in_progress')
      return { status: 503, outcome: 'in_progress', event, headers: this.#retryAfter() }

    const report = (error: unknown) => this.#report(error, event)
    claim.keepRenewing(report)
    try {
      await callback(event)
    } catch (error) {
      await claim.release().catch(report)
      return this.#fail(500, error, event)
    }
    // 200 even if the store fails now: the callback ran, so another delivery must not be requested.
    await claim.finish().catch(report)
    return { status: 200, outcome, event }
  }

  /** Calls `onError`. If it throws, nothing changes, because the error is in the result too. */
  #report(error: unknown, event?: WebhookEvent): void {
    const { onError } = this.#options
    if (onError) callHook(() => onError(error, event === undefined ? {} : { event }))
  }
}

const encoder = new TextEncoder()

/** Compares a body with the limit. A string has at most three bytes for each of its characters. */
function isLarger(body: unknown, maxBodyBytes: number): boolean {
  if (typeof body !== 'string') return ((body as Uint8Array | undefined)?.byteLength ?? 0) > maxBodyBytes
  return (
    body.length > maxBodyBytes ||
    (body.length * 3 > maxBodyBytes && encoder.encode(body).byteLength > maxBodyBytes)
  )
}
