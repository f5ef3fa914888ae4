import type { Id } from '../../../contract/schema/open-types.ts'
import type { WebhookEvent } from '../../../contract/webhooks/events.ts'
import { EmulatorError } from '../../../errors/sdk-error.ts'
import type { Clock } from '../clock.ts'
import type { Saved } from '../saved.ts'
import { type DeliveryAttempt, type DeliverySettings, sendEvent } from './delivery-attempt.ts'
import { type DeliveryFaultEffect, DeliveryFaults } from './delivery-faults.ts'

/** One event and the attempts to deliver it. */
export interface Delivery {
  /** The event id, which `resend` takes. */
  readonly id: Id<'event'>
  /** The content of the event. */
  readonly event: WebhookEvent
  /** The destination: the session's `callback`. */
  readonly url: string
  /** All attempts, oldest first. Empty while a fault holds the event back, and if a fault lost it. */
  readonly attempts: DeliveryAttempt[]
  /** Whether the receiver responded with a 2xx to the last attempt. */
  readonly delivered: boolean
  /** Time of the next automatic attempt (ISO 8601, by the emulator's clock). Missing if there is none. */
  readonly retryAt?: string
}

type Draft<T> = { -readonly [Field in keyof T]: T[Field] }

interface DeliveryDraft extends Draft<Delivery> {
  readonly attempts: Draft<DeliveryAttempt>[]
  /** Number of automatic retries so far. */
  retries: number
}

/** Older events are dropped, so that the memory of a long-running server stays bounded. */
const maxRecords = 10_000

/** Sends events in the background and records each attempt. A failed attempt is recorded, never thrown. */
export class Deliveries {
  readonly records: DeliveryDraft[]
  /** Grows when an attempt begins and when it ends. */
  changes = 0
  readonly faults: DeliveryFaults
  readonly #settings: DeliverySettings & { readonly retryAfterSeconds: readonly number[] }
  readonly #clock: Clock
  readonly #inFlight = new Set<Promise<void>>()
  /** Failed events that will be retried. */
  readonly #awaitingRetry: Set<DeliveryDraft>
  /** Events that a fault holds back until another event was sent. */
  #outOfOrder: DeliveryDraft[]

  constructor(
    settings: DeliverySettings & { readonly retryAfterSeconds: readonly number[] },
    clock: Clock,
    { records, held, faults }: Saved<Deliveries> = { records: [], held: [], faults: [] },
  ) {
    this.#settings = settings
    this.#clock = clock
    this.records = [...records]
    this.faults = new DeliveryFaults(faults)
    this.#awaitingRetry = new Set(records.filter(({ retryAt }) => retryAt !== undefined))
    this.#outOfOrder = records.filter(({ id }) => held.includes(id))
  }

  save(): {
    readonly records: readonly DeliveryDraft[]
    /** Ids of the events that a fault holds back. */
    readonly held: readonly string[]
    readonly faults: Saved<DeliveryFaults>
  } {
    return {
      records: this.records.map(withoutAttemptInProgress),
      held: this.#outOfOrder.map(({ id }) => id),
      faults: this.faults.save(),
    }
  }

  /** Sends an event. Resolves after the first attempt, and after the attempts that it triggers. */
  async send(url: string, event: WebhookEvent): Promise<Delivery> {
    const record: DeliveryDraft = {
      id: event.event_id,
      event,
      url,
      attempts: [],
      delivered: false,
      retries: 0,
    }
    this.records.push(record)
    if (this.records.length > maxRecords) this.records.shift()
    await this.#track(this.#sendFirst(record, this.faults.take(event.type)))
    return record
  }

  async resend(id: string): Promise<Delivery> {
    const record = this.records.find((delivery) => delivery.id === id)
    if (record === undefined)
      throw new EmulatorError({
        message: `webhooks.resend: the delivery does not exist: ${id}. Pass an id of webhooks.deliveries`,
      })
    this.#outOfOrder = this.#outOfOrder.filter((one) => one !== record)
    await this.#track(this.#attempt(record))
    return record
  }

  /** Retries the deliveries that are due. Resolves when all of them were attempted. */
  async retryDue(): Promise<void> {
    const now = this.#clock.now().toISOString()
    const due = [...this.#awaitingRetry].filter(({ retryAt = '' }) => retryAt <= now)
    await Promise.all(
      due.map((record) => {
        record.retries += 1
        return this.#track(this.#attempt(record))
      }),
    )
  }

  /** Resolves when no delivery is in flight, including those that start in the meantime. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight)
  }

  #track(delivery: Promise<void>): Promise<void> {
    const tracked = delivery.finally(() => this.#inFlight.delete(tracked))
    this.#inFlight.add(tracked)
    return tracked
  }

  async #sendFirst(record: DeliveryDraft, fault: DeliveryFaultEffect | undefined): Promise<void> {
    if (fault?.kind === 'lost') return
    if (fault?.kind === 'out_of_order') {
      this.#outOfOrder.push(record)
      return
    }
    await this.#attempt(record, fault)
    if (fault?.kind === 'duplicate') await this.#attempt(record, { kind: 'duplicate' })
    for (const late of this.#outOfOrder) {
      // One by one, so that a snapshot that is taken in between still holds the others.
      if (!this.#outOfOrder.includes(late)) continue
      this.#outOfOrder = this.#outOfOrder.filter((one) => one !== late)
      await this.#attempt(late, { kind: 'out_of_order' })
    }
  }

  async #attempt(record: DeliveryDraft, fault?: DeliveryFaultEffect): Promise<void> {
    delete record.retryAt
    this.#awaitingRetry.delete(record)
    this.changes += 1
    const attempt: Draft<DeliveryAttempt> = {
      at: this.#clock.now().toISOString(),
      request: { headers: {}, body: '' },
      ...(fault && { fault: fault.kind }),
    }
    record.attempts.push(attempt)
    const now = this.#clock.now()
    record.delivered = await sendEvent(record, attempt, { ...this.#settings, now, fault })
    this.changes += 1
    const waitSeconds = this.#settings.retryAfterSeconds[record.retries]
    if (record.delivered || waitSeconds === undefined) return
    record.retryAt = new Date(this.#clock.now().getTime() + waitSeconds * 1000).toISOString()
    this.#awaitingRetry.add(record)
  }
}

/** Nothing waits for the response in another process, so that the attempt is due again there. */
function withoutAttemptInProgress(record: DeliveryDraft): DeliveryDraft {
  const last = record.attempts.at(-1)
  if (last === undefined || last.status !== undefined || last.error !== undefined) return record
  return { ...record, attempts: record.attempts.slice(0, -1), retries: record.retries - 1, retryAt: last.at }
}
