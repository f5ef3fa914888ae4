import type { WebhookEvent, WebhookEventFor, WebhookEventType } from '../contract/webhooks/events.ts'
import type { OptionNames } from '../errors/option-names.ts'
import type { Logger } from '../runtime/logger.ts'
import type { Store } from '../stores/store.ts'
import type { WebhookTrust } from './signature.ts'

/**
 * Handles an event. If it throws or rejects, the handler responds with 500, and the callback may run again for the
 * same event. Make it idempotent.
 */
export type WebhookCallback<Event = WebhookEvent> = (event: Event) => unknown

/** The callbacks of a handler, by type of event. Each runs once for each event of its type. */
export type WebhookCallbacks = {
  readonly [Type in WebhookEventType]?: WebhookCallback<WebhookEventFor<Type>> | undefined
}

/** What `onError` gets with the error. */
export interface WebhookErrorContext {
  /** The event. Absent if the delivery was rejected, or failed before its event was read. */
  readonly event?: WebhookEvent
}

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
  /**
   * How long a handled event is remembered, in milliseconds: at least twice `toleranceSeconds`, because a delivery is
   * accepted for that long.
   *
   * @default 604_800_000 (7 days)
   */
  readonly retainMs?: number | undefined
  /**
   * Maximum size of a body, in bytes. A larger body is rejected with 413. A decision may contain portraits.
   *
   * @default 8_388_608 (8 MiB)
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * The callback for each type of event. It runs once for each event. A type that this version does not list is
   * reported once, when the handler is created, because it may be misspelled.
   */
  readonly on: WebhookCallbacks
  /** Called for events that have no callback in `on`, and for event types that this version does not list. */
  readonly onUnhandled?: WebhookCallback | undefined
  /** Called for test events of the console. No other callback is called for them. */
  readonly onTestEvent?: WebhookCallback | undefined
  /**
   * Called for every rejection and every failure, and with a `ConfigurationError` for types in `on` that this version
   * does not list. The response to the sender contains no more than the reason. Without `onError` and `logger`, they
   * are written to `console.error`: failures at once, rejections at most once a minute for each reason.
   */
  readonly onError?: ((error: unknown, context: WebhookErrorContext) => void) | undefined
  /**
   * Receives a record of every failure (`error`), and of rejections (`warn`) at most once a minute for each reason. A
   * record has the class, code, message and stack of the error and the type of the event. Values of the event are
   * masked.
   *
   * @default none: without `onError` too, `console.error`
   */
  readonly logger?: Logger | undefined
}

export const handlerOptionNames = {
  secret: true,
  toleranceSeconds: true,
  now: true,
  store: true,
  leaseMs: true,
  retainMs: true,
  maxBodyBytes: true,
  on: true,
  onUnhandled: true,
  onTestEvent: true,
  onError: true,
  logger: true,
} as const satisfies OptionNames<WebhookHandlerOptions>
