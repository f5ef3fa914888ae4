import type { WebhookEvent } from '../../contract/webhook-events.ts'
import { signWebhook } from '../../webhooks/signature.ts'
import { EmulatorError } from '../emulator-error.ts'
import type { Clock } from './clock.ts'

/** One POST of an event. */
export interface DeliveryAttempt {
  /** ISO 8601, by the emulator's clock. */
  readonly at: string
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
  /** What the receiver answered; missing while it has not, and when `error` tells why it never will. */
  readonly status?: number
  readonly error?: string
}

/** One event and how it fared. */
export interface Delivery {
  /** The event's id: what `resend` takes. */
  readonly id: string
  readonly event: WebhookEvent
  readonly url: string
  /** The first sending, then each resending. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Whether the receiver answered 2xx to the last attempt. */
  readonly delivered: boolean
}

interface DeliveryDraft extends Delivery {
  readonly attempts: AttemptDraft[]
  delivered: boolean
}

type AttemptDraft = { -readonly [Field in keyof DeliveryAttempt]: DeliveryAttempt[Field] }

/** A receiver that is silent for longer counts as failed. */
const patienceMs = 10_000

interface DeliverySettings {
  readonly secret: string
  readonly deliver: typeof globalThis.fetch
}

/** Sends events in the background and remembers each attempt. A failure is a fact to record, never an exception. */
export class Deliveries {
  readonly records: DeliveryDraft[] = []
  readonly #settings: DeliverySettings
  readonly #clock: Clock
  readonly #underway = new Set<Promise<void>>()

  constructor(settings: DeliverySettings, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** Resolves when the first attempt is over. */
  announce(url: string, event: WebhookEvent): Promise<void> {
    const record: DeliveryDraft = { id: event.event_id, event, url, attempts: [], delivered: false }
    this.records.push(record)
    return this.#track(this.#attempt(record))
  }

  async resend(id: string): Promise<Delivery> {
    const record = this.records.find((delivery) => delivery.id === id)
    if (record === undefined) throw new EmulatorError(`no delivery has the id ${id}`)
    await this.#track(this.#attempt(record))
    return record
  }

  /** Resolves when nothing is being sent, what was announced meanwhile included. */
  async settled(): Promise<void> {
    while (this.#underway.size > 0) await Promise.all(this.#underway)
  }

  #track(sending: Promise<void>): Promise<void> {
    const tracked = sending.finally(() => this.#underway.delete(tracked))
    this.#underway.add(tracked)
    return tracked
  }

  async #attempt(record: DeliveryDraft): Promise<void> {
    const now = this.#clock.now()
    const { headers, body } = await signWebhook({
      event: record.event,
      secret: this.#settings.secret,
      timestamp: Math.floor(now.getTime() / 1000),
    })
    const request = { headers: { ...headers, 'content-type': 'application/json', 'x-emulator': '1' }, body }
    const attempt: AttemptDraft = { at: now.toISOString(), request }
    record.attempts.push(attempt)
    try {
      const { deliver } = this.#settings
      const response = await deliver(record.url, {
        method: 'POST',
        ...request,
        redirect: 'manual',
        signal: AbortSignal.timeout(patienceMs),
      })
      attempt.status = response.status
      record.delivered = response.ok
      // An unread body would hold the connection open.
      await response.body?.cancel()
    } catch (error) {
      if (attempt.status === undefined) {
        attempt.error = reasonOf(error)
        record.delivered = false
      }
    }
  }
}

/** `fetch` hides the reason of a failure one level down. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}
