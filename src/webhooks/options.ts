import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../contract/webhooks/events.ts'
import { type ObservationOptions, observationRules } from '../observe/observation.ts'
import { aFunction, aHandlerName, joinRules, milliseconds, positiveWholeNumber, timeSpan } from '../options/rules.ts'
import type { SignalContext } from '../stores/exclusive.ts'
import type { Store } from '../stores/store.ts'
import type { WebhookTrust } from './signature.ts'

/**
 * Handles every event that is not a test event, before the callbacks in `on`. If it throws or rejects, the event fails
 * and can be delivered again, so make it idempotent.
 */
export interface EventConsumer {
  /**
   * Handles an event.
   *
   * @example
   * const handler = createWebhookHandler({ secret, consumers: [{ handle: (event) => report(event.type) }] })
   */
  handle(event: WebhookEvent, context: SignalContext): unknown
}

/**
 * Handles an event. If it throws or rejects, the event fails, and the callback may run again for the same event. Make
 * it idempotent.
 */
export type WebhookCallback<Event = WebhookEvent> = (event: Event, context: SignalContext) => unknown

/** The callbacks of a handler or processor, by type of event. Each runs once for each event of its type. */
export type WebhookCallbacks = {
  readonly [Type in WebhookEventType]?: WebhookCallback<WebhookEventOf<Type>> | undefined
}

/** What `onError` gets with the error. */
export interface WebhookErrorContext {
  /** The event. Absent if the delivery was rejected, or failed before its event was read. */
  readonly event?: WebhookEvent
}

/** Where failures go. */
export interface FailureOptions extends ObservationOptions {
  /**
   * Called for every rejection and every failure, and with a `ConfigurationError` for types in `on` that this version
   * does not list. The response to the sender contains no more than the reason. Without `onError` and `logger`, they
   * are written to `console.error`: failures at once, rejections at most once a minute for each reason.
   */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => void) | undefined
}

/** Options of an event processor that do not depend on each other. */
export interface EventOptions extends FailureOptions {
  /**
   * Separates handlers and processors that share a store: each name handles every event once. Those with the
   * same name, or without one, share their claims, so an event that one of them handles is a duplicate for the others.
   * 1 to 64 letters, digits, `_`, `.` and `-`.
   *
   * @default none
   */
  readonly name?: string | undefined
  /**
   * Records which events were handled. Share one store between processes. After a crash a callback can run again for
   * its event, so make it idempotent.
   *
   * @default memoryStore(), which a restart empties
   */
  readonly store?: Store | undefined
  /**
   * Length of the lease on an event while its callbacks run, in milliseconds, at most 2^31 - 1. The lease is renewed
   * until they end. If the process crashes, another process can take the event over when the lease ends. Let it be
   * several times the `operationTimeoutMs` of the store.
   *
   * @default 60_000
   */
  readonly leaseMs?: number | undefined
  /**
   * How long a handled event is remembered, in milliseconds. For a handler, at least twice `toleranceSeconds`, because
   * a delivery is accepted for that long.
   *
   * @default 604_800_000 (7 days)
   */
  readonly retainMs?: number | undefined
  /**
   * Handle every event that is not a test event, one after another, before the callback in `on`, and under the same
   * claim. If one throws, the event fails: 503 for a `StoreError`, otherwise 500.
   *
   * @default none
   */
  readonly consumers?: readonly EventConsumer[] | undefined
  /**
   * The callback for each type of event. It runs once for each event. A type that this version does not list is
   * reported once, at creation, because it may be misspelled.
   *
   * @default no callbacks
   */
  readonly on?: WebhookCallbacks | undefined
  /**
   * Called for events that have no callback in `on`, and for event types that this version does not list. Not called
   * if there are `consumers`, because they handled the event.
   */
  readonly onUnhandled?: WebhookCallback | undefined
  /** Called for test events of the console. No other callback and no consumer is called for them. */
  readonly onTestEvent?: WebhookCallback | undefined
}

// One of these four is required. WebhookCallbacksOption stays the last one, in this order and in the alphabet: the
// message of the compiler names the last one by order, or since TypeScript 7 by name.
/** Options with consumers. */
export interface ConsumersOption {
  /** Required, unless another option names what to call. */
  readonly consumers: readonly EventConsumer[]
}

/** Options with a callback for test events. */
export interface OnTestEventOption {
  /** Required, unless another option names what to call. */
  readonly onTestEvent: WebhookCallback
}

/** Options with a callback for events without one. */
export interface OnUnhandledOption {
  /** Required, unless another option names what to call. */
  readonly onUnhandled: WebhookCallback
}

/** Options with callbacks. */
export interface WebhookCallbacksOption {
  /** Required, unless another option names what to call. */
  readonly on: WebhookCallbacks
}

/**
 * Options of an event processor. They are read once. Later changes to the object have no effect. At least one of `on`,
 * `consumers`, `onUnhandled` and `onTestEvent` is required.
 */
export type EventProcessorOptions = EventOptions &
  (ConsumersOption | OnTestEventOption | OnUnhandledOption | WebhookCallbacksOption)

export const processorOptionRules = /* @__PURE__ */ joinRules(observationRules, {
  name: aHandlerName,
  store: true,
  leaseMs: timeSpan,
  retainMs: /* @__PURE__ */ milliseconds({ from: 1 }),
  consumers: { form: 'be an array', allows: (value: unknown) => Array.isArray(value) },
  on: true,
  onUnhandled: aFunction,
  onTestEvent: aFunction,
  onError: aFunction,
})

/** How a webhook handler verifies deliveries. */
export interface DeliveryOptions extends WebhookTrust {
  /**
   * Maximum size of a body, in bytes. A larger body is rejected with 413. A decision may contain portraits.
   *
   * @default 8_388_608 (8 MiB)
   */
  readonly maxBodyBytes?: number | undefined
}

/**
 * Options of a webhook handler: how deliveries are verified, and the options of an event processor. They are read once.
 * Later changes to the object have no effect.
 */
export type WebhookHandlerOptions = DeliveryOptions & EventProcessorOptions

export const handlerOptionRules = /* @__PURE__ */ joinRules(
  {
    secret: true,
    toleranceSeconds: true,
    now: aFunction,
    maxBodyBytes: positiveWholeNumber,
  },
  processorOptionRules,
)
