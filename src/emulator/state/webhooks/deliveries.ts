import type { WebhookEvent } from '../../../contract/webhooks/events.ts'
import { EmulatorError } from '../../emulator-error.ts'
import type { Clock } from '../clock.ts'
import { type DeliveryAttempt, type DeliverySettings, sendEvent } from './delivery-attempt.ts'
import { type DeliveryFaultEffect, DeliveryFaults } from './delivery-faults.ts'

/** One event and how it fared. */
export interface Delivery {
  /** The event's id: what `resend` takes. */
  readonly id: string
  /** What is sent. */
  readonly event: WebhookEvent
  /** Where it is sent: the session's `callback`. */
  readonly url: string
  /** The first sending, then each further one. Empty while the event is held back, and when it was lost. */
  readonly attempts: readonly DeliveryAttempt[]
  /** Whether the receiver answered 2xx to the last attempt. */
  readonly delivered: boolean
  /** When it is sent again by itself (ISO 8601, by the emulator's clock); missing where it is not. */
  readonly retryAt?: string
}

type Draft<T> = { -readonly [Field in keyof T]: T[Field] }

interface DeliveryDraft extends Draft<Delivery> {
  readonly attempts: Draft<DeliveryAttempt>[]
  /** How often it was sent again by itself. */
  retries: number
}

/** Older events are forgotten, so that a server that runs for days does not grow for days. */
const remembered = 10_000

/** Sends events in the background and remembers each attempt. A failure is a fact to record, never an exception. */
export class Deliveries {
  readonly records: DeliveryDraft[] = []
  readonly faults = new DeliveryFaults()
  readonly #settings: DeliverySettings & { readonly retryAfterSeconds: readonly number[] }
  readonly #clock: Clock
  readonly #underway = new Set<Promise<void>>()
  /** Events that are sent again by themselves. */
  readonly #failed = new Set<DeliveryDraft>()
  /** Events that are sent once another was. */
  #held: DeliveryDraft[] = []

  constructor(settings: DeliverySettings & { readonly retryAfterSeconds: readonly number[] }, clock: Clock) {
    this.#settings = settings
    this.#clock = clock
  }

  /** Resolves when the first attempt is over, and those that it causes. */
  send(url: string, event: WebhookEvent): Promise<void> {
    const record: DeliveryDraft = {
      id: event.event_id,
      event,
      url,
      attempts: [],
      delivered: false,
      retries: 0,
    }
    this.records.push(record)
    if (this.records.length > remembered) this.records.shift()
    return this.#track(this.#sendFirst(record, this.faults.take(event.type)))
  }

  async resend(id: string): Promise<Delivery> {
    const record = this.records.find((delivery) => delivery.id === id)
    if (record === undefined) throw new EmulatorError(`no delivery has the id ${id}`)
    this.#held = this.#held.filter((held) => held !== record)
    await this.#track(this.#attempt(record))
    return record
  }

  /** Sends again what is due. Resolves when that is over. */
  async retryDue(): Promise<void> {
    const now = this.#clock.now().toISOString()
    const due = [...this.#failed].filter(({ retryAt = '' }) => retryAt <= now)
    await Promise.all(
      due.map((record) => {
        record.retries += 1
        return this.#track(this.#attempt(record))
      }),
    )
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

  async #sendFirst(record: DeliveryDraft, mishap: DeliveryFaultEffect | undefined): Promise<void> {
    if (mishap?.kind === 'lost') return
    if (mishap?.kind === 'out_of_order') {
      this.#held.push(record)
      return
    }
    await this.#attempt(record, mishap)
    if (mishap?.kind === 'duplicate') await this.#attempt(record, { kind: 'duplicate' })
    const overtaken = this.#held
    this.#held = []
    for (const held of overtaken) await this.#attempt(held, { kind: 'out_of_order' })
  }

  async #attempt(record: DeliveryDraft, mishap?: DeliveryFaultEffect): Promise<void> {
    delete record.retryAt
    this.#failed.delete(record)
    const attempt: Draft<DeliveryAttempt> = {
      at: this.#clock.now().toISOString(),
      request: { headers: {}, body: '' },
      ...(mishap && { fault: mishap.kind }),
    }
    record.attempts.push(attempt)
    const now = this.#clock.now()
    record.delivered = await sendEvent(record, attempt, { ...this.#settings, now, mishap })
    const waitSeconds = this.#settings.retryAfterSeconds[record.retries]
    if (record.delivered || waitSeconds === undefined) return
    record.retryAt = new Date(this.#clock.now().getTime() + waitSeconds * 1000).toISOString()
    this.#failed.add(record)
  }
}
