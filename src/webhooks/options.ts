import type { WebhookEvent, WebhookEventOf, WebhookEventType } from '../contract/webhooks/events.ts'
import { type ObservationOptions, observationRules } from '../observe/observation.ts'
import { aFunction, aHandlerName, joinRules, milliseconds, positiveWholeNumber, timeSpan } from '../options/rules.ts'
import type { EventInbox, SignalContext, TransactionContext } from '../stores/event-inbox.ts'
import type { Store } from '../stores/store.ts'
import type { WebhookTrust } from './signature.ts'

/** What a callback gets with its event: `signal`, and with an `inbox` also `tx`. */
export type EventContext<Tx = undefined> = [Tx] extends [undefined] ? SignalContext : TransactionContext<Tx>

/**
 * Handles every event that is not a test event, before the callbacks in `on`. If it throws or rejects, the event fails
 * and can be delivered again, so make it idempotent.
 */
export interface EventConsumer<Tx = undefined> {
  /**
   * Handles an event.
   *
   * @example
   * const handler = createWebhookHandler({ secret, consumers: [{ handle: (event) => report(event.type) }] })
   */
  handle(event: WebhookEvent, context: EventContext<Tx>): unknown
}

/**
 * Handles an event. If it throws or rejects, the event fails, and the callback may run again for the same event. Make
 * it idempotent.
 */
export type WebhookCallback<Event = WebhookEvent, Tx = undefined> = (event: Event, context: EventContext<Tx>) => unknown

/** The callbacks of a handler or processor, by type of event. Each runs once for each event of its type. */
export type WebhookCallbacks<Tx = undefined> = {
  readonly [Type in WebhookEventType]?: WebhookCallback<WebhookEventOf<Type>, Tx> | undefined
}

/** What handles every event, such as verification managers. */
type EventConsumers<Tx = undefined> = readonly {
  /** Handles an event. */
  readonly handle: WebhookCallback<WebhookEvent, Tx>
}[]

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
export interface EventOptions<Tx = undefined> extends FailureOptions {
  /**
   * Separates handlers and processors that share a store or inbox: each name handles every event once. Those with the
   * same name, or without one, share their claims, so an event that one of them handles is a duplicate for the others.
   * 1 to 64 letters, digits, `_`, `.` and `-`.
   *
   * @default none
   */
  readonly name?: string | undefined
  /**
   * Length of the lease on an event while its callbacks run, in milliseconds, at most 2^31 - 1. The lease is renewed
   * until they end. If the process crashes, another process can take the event over when the lease ends. Let it be
   * several times the `operationTimeoutMs` of the store. An inbox has no lease.
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
   * Handle every event that is not a test event, one after another, before the callback in `on`, and inside the same
   * claim or transaction. If one throws, the event fails: 503 for a `StoreError`, otherwise 500. Each is an
   * `EventConsumer`; one that needs a `tx` fits only together with an `inbox`.
   *
   * @default none
   */
  readonly consumers?: EventConsumers<NoInfer<Tx>> | undefined
  /**
   * The callback for each type of event. It runs once for each event. A type that this version does not list is
   * reported once, at creation, because it may be misspelled.
   *
   * @default no callbacks
   */
  readonly on?: WebhookCallbacks<NoInfer<Tx>> | undefined
  /**
   * Called for events that have no callback in `on`, and for event types that this version does not list. Not called
   * if there are `consumers`, because they handled the event.
   */
  readonly onUnhandled?: WebhookCallback<WebhookEvent, NoInfer<Tx>> | undefined
  /** Called for test events of the console. No other callback and no consumer is called for them. */
  readonly onTestEvent?: WebhookCallback<WebhookEvent, NoInfer<Tx>> | undefined
}

/** Records in a store which events were handled. */
export interface StoreOption {
  /**
   * Records which events were handled. Share one store between processes. After a crash an event is handled again,
   * unless it is recorded in the transaction of its effects: see `inbox`.
   *
   * @default memoryStore(), which a restart empties
   */
  readonly store?: Store | undefined
  /** Not together with `store`. @default none */
  readonly inbox?: undefined
}

/** Records in a database which events were handled. */
export interface InboxOption<Tx> {
  /**
   * Records events in the database of your own data instead of a store, so that each event's record and what its
   * callbacks write through `tx` commit together or not at all.
   *
   * @default none: `store` records them
   */
  readonly inbox?: EventInbox<Tx> | undefined
  /** Not together with `inbox`. @default none */
  readonly store?: undefined
}

// One of these four is required. The compiler names the last one in its message: by order, or since TypeScript 7 by
// name.
/** Options with consumers. */
export interface ConsumersOption<Tx> {
  /** Required, unless another option names what to call. */
  readonly consumers: EventConsumers<NoInfer<Tx>>
}

/** Options with a callback for test events. */
export interface OnTestEventOption<Tx> {
  /** Required, unless another option names what to call. */
  readonly onTestEvent: WebhookCallback<WebhookEvent, NoInfer<Tx>>
}

/** Options with a callback for events without one. */
export interface OnUnhandledOption<Tx> {
  /** Required, unless another option names what to call. */
  readonly onUnhandled: WebhookCallback<WebhookEvent, NoInfer<Tx>>
}

/** Options with callbacks. */
export interface WebhookCallbacksOption<Tx> {
  /** Required, unless another option names what to call. */
  readonly on: WebhookCallbacks<NoInfer<Tx>>
}

/**
 * Options of an event processor. They are read once. Later changes to the object have no effect. At least one of `on`,
 * `consumers`, `onUnhandled` and `onTestEvent` is required. `store` and `inbox` exclude each other.
 */
export type EventProcessorOptions<Tx = undefined> = EventOptions<Tx> &
  (StoreOption | InboxOption<Tx>) &
  (ConsumersOption<Tx> | OnTestEventOption<Tx> | OnUnhandledOption<Tx> | WebhookCallbacksOption<Tx>)

export const processorOptionRules = /* @__PURE__ */ joinRules(observationRules, {
  name: aHandlerName,
  store: true,
  inbox: true,
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
export type WebhookHandlerOptions<Tx = undefined> = DeliveryOptions & EventProcessorOptions<Tx>

export const handlerOptionRules = /* @__PURE__ */ joinRules(
  {
    secret: true,
    toleranceSeconds: true,
    now: aFunction,
    maxBodyBytes: positiveWholeNumber,
  },
  processorOptionRules,
)
