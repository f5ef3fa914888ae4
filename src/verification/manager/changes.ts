import { StoreError } from '../../errors/sdk-error.ts'
import type { Timing } from '../../runtime/timing.ts'
import { type Lease, type SignalContext, waitForOther } from '../../stores/lease.ts'
import { noRecord, type VerificationRecord } from './record.ts'
import type { StoredRecord, UpdatedRecord, VerificationRecords } from './record-store.ts'
import { removeChange, takeDelivery } from './transitions.ts'
import type { Verification, VerificationChange } from './verification.ts'

export interface ChangeDeliveryOptions {
  readonly records: VerificationRecords
  readonly onChange: ((change: VerificationChange, context: SignalContext) => unknown) | undefined
  readonly leaseMs: number
  readonly timing: Timing
}

/** A delivery of this process. */
interface Delivery {
  readonly run: Lease
  /** Whether the person was forgotten meanwhile. */
  isForgotten: boolean
}

/** Calls `onChange` for recorded changes: in their order, for one change at a time over all processes. */
export class ChangeDelivery {
  readonly #options: ChangeDeliveryOptions
  /** The deliveries of this process, by run. */
  readonly #running = new Map<string, Delivery>()

  constructor(options: ChangeDeliveryOptions) {
    this.#options = options
  }

  /**
   * Delivers all recorded changes of a person. If another process is delivering, it also delivers what was added.
   *
   * @param updated the record, and the run of this process that it names
   * @param waits whether to wait for another process, which may have crashed
   * @returns the changes that were delivered here
   * @throws what `onChange` threw; the change stays recorded
   */
  async deliver(subject: string, { stored, delivering }: UpdatedRecord, waits: boolean): Promise<VerificationChange[]> {
    const delivered: VerificationChange[] = []
    if (this.#options.onChange === undefined) return delivered
    if (delivering?.isHeld) await this.#deliverAs(delivering, subject, { stored, delivered })
    else {
      await this.#whenNotDelivering(subject, stored, {
        waits,
        isSettled: ({ changes }) => changes.length === 0,
        work: (found) => this.#takeOver(subject, found, delivered),
      })
    }
    return delivered
  }

  /**
   * Deletes the record of a person, so that `onChange` is called for none of its changes afterwards. A call that has
   * begun ends first, unless it runs in this process: it may be the one that forgets.
   *
   * @returns whether there was a record
   */
  async forget(subject: string): Promise<boolean> {
    const { records } = this.#options
    const read = await records.readIfValid(subject)
    if (read === undefined) return records.delete(subject)
    let wasKnown = false
    await this.#whenNotDelivering(subject, read, {
      waits: true,
      isSettled: (record) => record === noRecord,
      work: async (stored, own) => {
        // Before the removal, because `onChange` could be called for the next change at once.
        if (own) own.isForgotten = true
        try {
          wasKnown = await records.remove(subject, stored)
        } finally {
          if (own) own.isForgotten = wasKnown
        }
        return wasKnown
      },
    })
    return wasKnown
  }

  /** Does work while no other process delivers the changes of a person, until it is done. */
  async #whenNotDelivering(subject: string, read: StoredRecord, { waits, isSettled, work }: Work): Promise<void> {
    const { records, leaseMs, timing, onChange } = this.#options
    const startedAt = timing.now()
    let stored = read
    for (let round = 1; ; round++) {
      const { delivery } = stored.value
      const own = this.#ownDelivery(delivery)
      if (isSettled(stored.value)) return
      // Changes that another manager recorded do not matter to one without `onChange`.
      const isFree = own || delivery === null || onChange === undefined || !(await records.runs.isAlive(delivery))
      if (isFree && (await work(stored, own))) return
      if (!isFree) {
        if (!waits) return
        // Twice, because another process may begin a run before this one does.
        if (timing.now() - startedAt > 2 * leaseMs) {
          throw new StoreError({
            message:
              'A call of onChange in another process has not ended, so nothing was called or forgotten here. Try again',
          })
        }
        await waitForOther({ round }, timing)
      }
      stored = await records.read(subject)
    }
  }

  /** On Workers, a delivery never ends if its request ends first. Nothing renews its lease then. */
  #ownDelivery(run: string | null): Delivery | undefined {
    const own = run === null ? undefined : this.#running.get(run)
    return own?.run.isHeld ? own : undefined
  }

  /** @returns whether nothing is left to do here */
  async #takeOver(subject: string, found: StoredRecord, delivered: VerificationChange[]): Promise<boolean> {
    const { records } = this.#options
    // The run of this process delivers them. It is not waited for, because its `onChange` may have called the manager.
    const { delivery } = found.value
    if (this.#ownDelivery(delivery)) return true
    const run = await records.runs.begin()
    let stored: StoredRecord | undefined
    try {
      stored = await records.replace(subject, found, takeDelivery(run.holder))
    } finally {
      // Another process has changed the record, or the store failed and the record may name the run.
      if (stored === undefined) await run.release().catch(() => {})
    }
    if (stored) await this.#deliverAs(run, subject, { stored, delivered })
    return false
  }

  /** Delivers as the run that the record names. */
  async #deliverAs(
    run: Lease,
    subject: string,
    { stored: read, delivered }: { stored: StoredRecord; delivered: VerificationChange[] },
  ): Promise<void> {
    const { records, onChange } = this.#options
    const delivery: Delivery = { run, isForgotten: false }
    for (const [holder, { run: other }] of this.#running) if (!other.isHeld) this.#running.delete(holder)
    this.#running.set(run.holder, delivery)
    const { signal } = run.keep()
    let stored = read
    let hasEnded = false
    try {
      for (;;) {
        const { changes, history, delivery: named } = stored.value
        const [next] = changes
        // Another process delivers the rest if it has taken over.
        hasEnded = next === undefined || named !== run.holder
        if (next === undefined || hasEnded || delivery.isForgotten) return
        run.throwIfLost()
        const { id, from, to } = next
        const verification = { ...next.verification, subject, history } as Verification
        const change = { subject, from, to, verification }
        await onChange?.(change, { signal })
        const updated = await records.update(subject, removeChange(id, run.holder), { stored })
        stored = updated.stored
        delivered.push(change)
      }
    } finally {
      run.end()
      // Others need not wait for the end of the lease.
      if (!hasEnded) await run.release().catch(() => {})
      this.#running.delete(run.holder)
    }
  }
}

interface Work {
  readonly waits: boolean
  readonly isSettled: (record: VerificationRecord) => boolean
  /** @returns whether it is done */
  readonly work: (stored: StoredRecord, own: Delivery | undefined) => Promise<boolean>
}
