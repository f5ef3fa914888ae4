import { testSessionPrefix, type WebhookEvent, type WebhookEventType } from '../contract/webhooks/events.ts'
import { checkOptionNames } from '../errors/option-names.ts'
import { WebhookVerificationError } from '../errors/webhook-error.ts'
import { encoder } from '../runtime/bytes.ts'
import { callHook } from '../runtime/call-hook.ts'
import { FailureLog } from '../runtime/failure-log.ts'
import { realTiming, type Timing, timing } from '../runtime/timing.ts'
import { guardedStore } from '../stores/guarded-store.ts'
import { memoryStore } from '../stores/memory.ts'
import type { Store } from '../stores/store.ts'
import { type Claim, claimEvent } from './claim.ts'
import { eventMask } from './event-mask.ts'
import { handlerOptionNames, type WebhookCallback, type WebhookHandlerOptions } from './handler-options.ts'
import { type HandlerSettings, readHandlerSettings, unlistedTypes } from './handler-settings.ts'
import type { WebhookHeaders } from './headers.ts'
import type { WebhookRejectedResult, WebhookResult } from './result.ts'
import { readSecrets, type WebhookBody, type WebhookTrust } from './signature.ts'
import { verifyWebhook } from './verify.ts'

/** A request whose body may be missing or already parsed. */
interface ReceivedRequest {
  readonly body: unknown
  readonly headers: WebhookHeaders
}

/** Where an event is passed. */
interface Route {
  /** Names the callback in messages. */
  readonly name: string
  readonly callback: WebhookCallback | undefined
  readonly outcome: 'processed' | 'test' | 'unhandled'
}

/** Verifies deliveries and runs the callback of each event once. The adapters of all frameworks share it. */
export class WebhookReceiver {
  readonly settings: HandlerSettings
  readonly #options: WebhookHandlerOptions
  readonly #trust: WebhookTrust
  readonly #store: Store
  readonly #timing: Timing
  readonly #failures: FailureLog

  /**
   * @param owner the function that the options were passed to
   * @param names the names that the options may have
   * @throws {ConfigurationError} an option has a wrong value, or a name that is not listed
   */
  constructor(
    owner: string,
    options: WebhookHandlerOptions & { readonly [timing]?: Partial<Timing> },
    names: Readonly<Record<string, true>> = handlerOptionNames,
  ) {
    checkOptionNames(owner, options, names)
    this.settings = readHandlerSettings(options)
    this.#options = { ...options, on: { ...options.on } }
    const { secret, toleranceSeconds, now } = options
    this.#trust = { secret: [...readSecrets(secret)], toleranceSeconds, now }
    this.#timing = { ...realTiming, ...options[timing] }
    const store = options.store ?? memoryStore({ now: this.#timing.now })
    this.#store = guardedStore(store, 'the store of webhook claims', this.#timing)
    const { logger, onError } = options
    this.#failures = new FailureLog({ logger, onError, timing: this.#timing })
    const unlisted = unlistedTypes(options.on)
    if (unlisted) this.#report(unlisted, 'a check of the webhook callbacks')
  }

  /** Handles a delivery. Never rejects: every failure is in the result, and is passed to `onError`. */
  async receive(delivery: ReceivedRequest): Promise<WebhookResult> {
    // Only these two are read, so that no other member of the object can replace the secret, tolerance or clock.
    const { body, headers } = Object(delivery) as ReceivedRequest
    if (isLarger(body, this.settings.maxBodyBytes)) return this.#rejectTooLarge()
    let event: WebhookEvent
    try {
      event = await verifyWebhook({ body: body as WebhookBody, headers, ...this.#trust })
    } catch (error) {
      if (error instanceof WebhookVerificationError) return this.#reject(400, error)
      // A clock or headers that throw are not the fault of the sender, who may send the delivery again.
      this.#report(error, 'the verification of a webhook')
      return { status: 500, outcome: 'failed', error, event: undefined, headers: {} }
    }
    const route = this.#routeOf(event)
    const { callback, outcome } = route
    // The event is not claimed, so that a callback that you add later still runs for it.
    if (callback === undefined) return { status: 200, outcome, event, headers: {} }
    return this.#runOnce(event, { ...route, callback })
  }

  /**
   * Handles a delivery whose body is read here, up to `maxBodyBytes`.
   *
   * @param read returns `undefined` if the body is larger
   */
  async receiveBody(
    read: (maxBytes: number) => Promise<Uint8Array | undefined>,
    headers: WebhookHeaders,
  ): Promise<WebhookResult> {
    let body: Uint8Array | undefined
    try {
      body = await read(this.settings.maxBodyBytes)
    } catch (error) {
      return this.#rejectIncomplete(error)
    }
    return body === undefined ? this.#rejectTooLarge() : this.receive({ body, headers })
  }

  #rejectTooLarge(): WebhookRejectedResult {
    const { maxBodyBytes } = this.settings
    const message = `The body is larger than maxBodyBytes (${maxBodyBytes}). If the event is genuine, raise the limit.`
    return this.#reject(413, new WebhookVerificationError({ reason: 'body_too_large', message }))
  }

  #rejectIncomplete(cause: unknown): WebhookRejectedResult {
    const message = 'The connection was closed before the whole body was received'
    return this.#reject(400, new WebhookVerificationError({ reason: 'body_incomplete', message, cause }))
  }

  #reject(status: 400 | 413, error: WebhookVerificationError): WebhookRejectedResult {
    this.#callOnError(error, undefined)
    this.#failures.rejected({ what: 'a webhook', error }, error.reason)
    return { status, outcome: 'rejected', error, headers: {} }
  }

  /** In whole seconds. At most 5, because a callback rarely takes as long as its lease. */
  #retryAfter() {
    const seconds = Math.max(1, Math.min(5, Math.floor(this.settings.leaseMs / 1000)))
    return { 'retry-after': String(seconds) }
  }

  #routeOf(event: WebhookEvent): Route {
    const { on, onTestEvent, onUnhandled } = this.#options
    if (event.test === true || event.session_id.startsWith(testSessionPrefix)) {
      return { name: 'onTestEvent', callback: onTestEvent, outcome: 'test' }
    }
    const own = Object.hasOwn(on, event.type) ? on[event.type as WebhookEventType] : undefined
    return own
      ? { name: 'the callback', callback: own as WebhookCallback, outcome: 'processed' }
      : { name: 'onUnhandled', callback: onUnhandled, outcome: 'unhandled' }
  }

  async #runOnce(
    event: WebhookEvent,
    { name, callback, outcome }: Route & { readonly callback: WebhookCallback },
  ): Promise<WebhookResult> {
    const { leaseMs, retainMs } = this.settings
    let claim: Claim | 'done' | 'in_progress'
    try {
      const options = { holder: crypto.randomUUID(), leaseMs, retainMs, timing: this.#timing }
      claim = await claimEvent(this.#store, event.event_id, options)
    } catch (error) {
      this.#report(error, `the claim of ${nameOf(event)}`, event)
      return { status: 503, outcome: 'failed', error, event, headers: this.#retryAfter() }
    }
    if (claim === 'done') return { status: 200, outcome: 'duplicate', event, headers: {} }
    if (claim === 'in_progress')
      return { status: 503, outcome: 'in_progress', event, headers: this.#retryAfter() }

    const reportClaim = (error: unknown) => this.#report(error, `the claim of ${nameOf(event)}`, event)
    claim.keepRenewing(reportClaim)
    try {
      await callback(event)
    } catch (error) {
      await claim.release().catch(reportClaim)
      this.#report(error, `${name} for ${nameOf(event)}`, event)
      return { status: 500, outcome: 'failed', error, event, headers: {} }
    }
    // 200 even if the store fails now: the callback ran, so another delivery must not be requested.
    await claim.finish().catch(reportClaim)
    return { status: 200, outcome, event, headers: {} }
  }

  #report(error: unknown, what: string, event?: WebhookEvent): void {
    this.#callOnError(error, event)
    this.#failures.failed({ what, error, mask: eventMask(event) })
  }

  #callOnError(error: unknown, event: WebhookEvent | undefined): void {
    const { onError } = this.#options
    callHook(
      () => onError?.(error, event === undefined ? {} : { event }),
      (thrown) => this.#failures.hookThrew({ what: 'onError', error: thrown, mask: eventMask(event) }),
    )
  }
}

/** Names an event without its values. A type may be any text, so only a plain one is written. */
const nameOf = ({ type }: WebhookEvent) => (/^[\w.-]{1,64}$/.test(type) ? type : 'an event')

/** Compares a body with the limit. A string has at most three bytes for each of its characters. */
function isLarger(body: unknown, maxBodyBytes: number): boolean {
  if (typeof body !== 'string') return ((body as Uint8Array | undefined)?.byteLength ?? 0) > maxBodyBytes
  return (
    body.length > maxBodyBytes ||
    (body.length * 3 > maxBodyBytes && encoder.encode(body).byteLength > maxBodyBytes)
  )
}
