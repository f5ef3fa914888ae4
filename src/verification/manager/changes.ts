import { StoreError } from '../../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../../runtime/timing.ts'
import type { SignalContext } from '../../stores/event-inbox.ts'
import type { VerificationRecords } from './record-store.ts'
import type { Verification, VerificationChange } from './verification.ts'

export interface ChangeDeliveryOptions {
  readonly records: VerificationRecords
  readonly onChange: ((change: VerificationChange, context: SignalContext) => unknown) | undefined
  readonly leaseMs: number
  readonly timing: Timing
}

/** A delivery of this process. */
interface Delivery {
  /** Whether a change was added meanwhile. */
  again: boolean
  /** Whether the person was forgotten meanwhile. */
  isForgotten: boolean
}

/** Calls `onChange` for recorded changes: in their order, for one change at a time over all processes. */
export class ChangeDelivery {
  readonly #options: ChangeDeliveryOptions
  /** The deliveries of this process, by subject. */
  readonly #running = new Map<string, Delivery>()

  constructor(options: ChangeDeliveryOptions) {
    this.#options = options
  }

  /**
   * Delivers all recorded changes of a person. If another process is delivering, it also delivers what was added.
   *
   * @param waits whether to wait for another process, which may have crashed
   * @returns the changes that were delivered here
   * @throws what `onChange` threw; the change stays recorded
   */
  async deliver(subject: string, waits: boolean): Promise<VerificationChange[]> {
    const delivered: VerificationChange[] = []
    if (this.#options.onChange === undefined) return delivered
    const running = this.#running.get(subject)
    if (running) {
      // Not waited for, because `onChange` itself may have called the manager.
      running.again = true
      return delivered
    }
    const run: Delivery = { again: false, isForgotten: false }
    this.#running.set(subject, run)
    try {
      do {
        run.again = false
        await this.#whileLocked(subject, {
          waits,
          // Also after the lock was released, because another process may have added a change and not got the lock.
          isDone: async () => (await this.#options.records.read(subject)).record.changes.length === 0,
          work: (signal) => this.#deliverLocked(subject, { run, signal, delivered }),
        })
      } while (run.again)
    } finally {
      this.#running.delete(subject)
    }
    return delivered
  }

  /**
   * Deletes the record of a person, so that `onChange` is called for none of its changes afterwards. A call that has begun
   * ends first, unless it runs in this process: it may be the one that forgets.
   *
   * @param remove deletes the record
   */
  async forget(subject: string, remove: () => Promise<boolean>): Promise<boolean> {
    const running = this.#running.get(subject)
    if (running) running.isForgotten = true
    if (running || this.#options.onChange === undefined) return remove()
    let wasKnown = false
    let isRemoved = false
    await this.#whileLocked(subject, {
      waits: true,
      isDone: async () => isRemoved,
      work: async () => {
        wasKnown = await remove()
        isRemoved = true
      },
    })
    return wasKnown
  }

  /** Does work under the lock of the person's changes, until it is done. */
  async #whileLocked(
    subject: string,
    { waits, isDone, work }: { waits: boolean; isDone: () => Promise<boolean>; work: LockedWork },
  ): Promise<void> {
    const { records, leaseMs, timing } = this.#options
    const startedAt = timing.now()
    for (let round = 1; ; round++) {
      if (await isDone()) return
      const lock = { ttlMs: leaseMs, renews: true }
      if (await records.withLock('change', subject, lock, ({ signal }) => work(signal))) continue
      if (!waits) return
      // Twice, because another process may get the lock before this one does.
      if (timing.now() - startedAt > 2 * leaseMs) {
        throw new StoreError({
          message:
            'onChange could not be called, because its earlier call in another process has not ended. Try again',
        })
      }
      await timing.sleep(backoffMs(Math.min(round, 2), 0.1 + 0.4 * timing.random()), undefined)
    }
  }

  async #deliverLocked(
    subject: string,
    { run, signal, delivered }: { run: Delivery; signal: AbortSignal; delivered: VerificationChange[] },
  ): Promise<void> {
    const { records, onChange } = this.#options
    for (;;) {
      const { changes, history } = (await records.read(subject)).record
      const [next] = changes
      if (next === undefined || run.isForgotten) return
      // Another process may deliver the rest.
      signal.throwIfAborted()
      const { id, from, to } = next
      const verification = { ...next.verification, subject, history } as Verification
      const change = { subject, from, to, verification }
      await onChange?.(change, { signal })
      await records.removeChange(subject, id)
      delivered.push(change)
    }
  }
}

type LockedWork = (signal: AbortSignal) => Promise<void>
