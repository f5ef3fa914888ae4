import { AbortedError, TimeoutError } from '../../errors/call-errors.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import type { Stream } from '../../observe/stream.ts'
import { onAbort, type Timing } from '../../runtime/timing.ts'
import { exclusively, type Lease, leased, type SignalContext } from '../../stores/exclusive.ts'
import { noRecord, type VerificationRecord } from './record.ts'
import type { StoredRecord, UpdatedRecord, VerificationRecords } from './record-store.ts'
import { removeChange, takeDelivery } from './transitions.ts'
import type { Verification, VerificationChange } from './verification.ts'

export interface ChangeDeliveryOptions {
  readonly records: VerificationRecords
  readonly onChange: ((change: VerificationChange, context: SignalContext) => unknown) | undefined
  readonly leaseMs: number
  readonly timing: Timing
  readonly stream: Stream
}

/** A call that delivers changes, or forgets them. */
export interface DeliveringCall {
  readonly operation: string
  /** Whether it waits for `onChange` in another process, which may have crashed. */
  readonly waits: boolean
  readonly signal?: AbortSignal | undefined
  /** The caller's limit. */
  readonly deadlineMs?: number | undefined
  /** When it is over, by the monotonic clock. */
  readonly until?: number | undefined
  /** What the call has done until then, for its error. */
  readonly done: string
  /** Whether the call has changed something at the service. @default false */
  readonly mayHaveArrived?: boolean
}

/** Calls of `onChange` that this process makes, under a lease. */
interface OwnDelivery {
  readonly run: Lease
  /** Whether the person was forgotten meanwhile. */
  isForgotten: boolean
  /** Ends the call of `onChange`: then, and when the lease is lost. */
  readonly stop: AbortController
}

/** Calls `onChange` for recorded changes: in their order, for one change at a time over all processes. */
export class ChangeDelivery {
  readonly #options: ChangeDeliveryOptions
  /** The deliveries of this process, by run. */
  readonly #running = new Map<string, OwnDelivery>()

  constructor(options: ChangeDeliveryOptions) {
    this.#options = options
  }

  /**
   * Delivers all recorded changes of a person. If another process is delivering, it also delivers what was added.
   *
   * @param updated the record, and the run of this process that it names
   * @returns the changes that were delivered here
   * @throws what `onChange` threw; the change stays recorded
   */
  async deliver(
    subject: string,
    { stored, delivering }: UpdatedRecord,
    call: DeliveringCall,
  ): Promise<VerificationChange[]> {
    const { onChange, records } = this.#options
    const delivered: VerificationChange[] = []
    if (onChange === undefined) return delivered
    if (delivering?.isHeld) {
      await this.#deliverAs(
        subject,
        async () => delivering,
        async () => stored,
        delivered,
      )
      return delivered
    }
    await this.#whenNotDelivering<true>(subject, stored, {
      // The run of this process is not waited for, because its `onChange` may have called the manager.
      call,
      doneIn: async ({ changes, delivery }) => {
        const isDone = changes.length === 0 || this.#ownDelivery(delivery) !== undefined
        return isDone || (!call.waits && (await this.#isTaken(delivery))) || undefined
      },
      attempt: async (found) => {
        const take = (run: Lease) => records.replace(subject, found, takeDelivery(run.holder))
        const end = await this.#deliverAs(subject, () => records.runs.begin(), take, delivered)
        return end === 'delivered' || undefined
      },
    })
    return delivered
  }

  /**
   * Deletes the record of a person, so that `onChange` is called for none of its changes afterwards. A call that has
   * begun ends first, unless it runs in this process: it may be the one that forgets. Then its signal aborts.
   *
   * @returns whether there was a record
   */
  async forget(subject: string): Promise<boolean> {
    const { records } = this.#options
    const read = await records.readIfValid(subject)
    if (read === undefined) return records.delete(subject)
    return this.#whenNotDelivering(subject, read, {
      call: { operation: 'verifications.forget', waits: true, done: 'Nothing was forgotten' },
      doneIn: (record) => (record === noRecord ? false : undefined),
      attempt: async (stored) => {
        const own = this.#ownDelivery(stored.value.delivery)
        // Before the removal, because `onChange` could be called for the next change at once.
        if (own) own.isForgotten = true
        let wasKnown = false
        try {
          wasKnown = await records.remove(subject, stored)
        } finally {
          if (own) own.isForgotten = wasKnown
        }
        if (wasKnown)
          own?.stop.abort(new StoreError({ message: 'the person was forgotten: end what onChange has begun' }))
        return wasKnown || undefined
      },
    })
  }

  /** Does work while no other process delivers the changes of a person, until it is done. */
  #whenNotDelivering<Done>(
    subject: string,
    known: StoredRecord,
    { call, doneIn, attempt }: DeliveryWork<Done>,
  ): Promise<Done> {
    const { records, leaseMs, timing, stream } = this.#options
    const { operation, waits, signal, deadlineMs, until, done, mayHaveArrived = false } = call
    // Twice, because another process may begin a run before this one does.
    const longestMs = 2 * leaseMs
    return exclusively<StoredRecord, Done>(
      {
        known,
        async read() {
          const { errorDetail } = stream
          if (signal?.aborted)
            throw new AbortedError({ operation, attempts: 0, mayHaveArrived, errorDetail, cause: signal.reason })
          return records.read(subject)
        },
        doneIn: ({ value }) => doneIn(value),
        isTaken: ({ value: { delivery } }) => waits && this.#isTaken(delivery),
        attempt,
        limitMs: until === undefined ? longestMs : Math.max(0, until - timing.now()),
        signal,
        tooLong: () => {
          const limitMs = deadlineMs ?? longestMs
          const message = `${operation}: onChange in another process had not ended after ${limitMs} ms, or the store is slow. ${done}. Try again.`
          if (deadlineMs === undefined) throw new StoreError({ operation, message, mayHaveHappened: mayHaveArrived })
          throw new TimeoutError({ operation, attempts: 0, limit: 'deadlineMs', limitMs, mayHaveArrived, message })
        },
      },
      timing,
    )
  }

  /** Whether another process delivers, which also matters to a manager without `onChange` that forgets. */
  async #isTaken(delivery: string | null): Promise<boolean> {
    if (delivery === null || this.#ownDelivery(delivery)) return false
    return this.#options.records.runs.isAlive(delivery)
  }

  /** On Workers, a delivery never ends if its request ends first. Nothing renews its lease then. */
  #ownDelivery(run: string | null): OwnDelivery | undefined {
    const own = run === null ? undefined : this.#running.get(run)
    return own?.run.isHeld ? own : undefined
  }

  /**
   * Delivers as a run.
   *
   * @param name returns the record that names the run. `undefined` if another process has changed it
   */
  #deliverAs(
    subject: string,
    begin: () => Promise<Lease>,
    name: (run: Lease) => Promise<StoredRecord | undefined>,
    delivered: VerificationChange[],
  ): Promise<'delivered' | 'forgotten' | 'taken' | undefined> {
    const { records, onChange } = this.#options
    return leased(
      begin,
      async (begun) => {
        const run = await begun()
        let stored = await name(run)
        if (stored === undefined) return undefined
        const delivery: OwnDelivery = { run, isForgotten: false, stop: new AbortController() }
        for (const [holder, { run: other }] of this.#running) if (!other.isHeld) this.#running.delete(holder)
        this.#running.set(run.holder, delivery)
        const { signal } = delivery.stop
        const leaseSignal = run.keep().signal
        // Not AbortSignal.any: Node 20 keeps what it returns as long as a listener of `onChange` is on it.
        onAbort(leaseSignal, () => delivery.stop.abort(leaseSignal.reason))
        try {
          for (;;) {
            const { changes, history, delivery: named } = stored.value
            const [next] = changes
            if (next === undefined) return 'delivered'
            if (named !== run.holder) return 'taken'
            if (delivery.isForgotten) return 'forgotten'
            run.throwIfLost()
            const { id, from, to } = next
            const verification = { ...next.verification, subject, history } as Verification
            const change = { id, subject, from, to, verification }
            await onChange?.(change, { signal })
            const updated: UpdatedRecord = await records.update(subject, removeChange(id, run.holder), { stored })
            stored = updated.stored
            delivered.push(change)
          }
        } finally {
          this.#running.delete(run.holder)
        }
      },
      // The record names the run no longer.
      (end) => (end === 'delivered' ? 'expire' : 'release'),
    )
  }
}

interface DeliveryWork<Done> {
  readonly call: DeliveringCall
  readonly doneIn: (record: VerificationRecord) => Done | undefined | Promise<Done | undefined>
  readonly attempt: (stored: StoredRecord) => Promise<Done | undefined>
}
