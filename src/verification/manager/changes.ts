import { StoreError } from '../../errors/sdk-error.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Timing } from '../../runtime/timing.ts'
import type { VerificationRecords } from './record-store.ts'
import type { Verification, VerificationChange } from './verification.ts'

export interface ChangeDeliveryOptions {
  readonly records: VerificationRecords
  readonly onChange: ((change: VerificationChange) => unknown) | undefined
  readonly leaseMs: number
  readonly timing: Timing
}

/** Calls `onChange` for recorded changes: in their order, for one change at a time over all processes. */
export class ChangeDelivery {
  readonly #options: ChangeDeliveryOptions
  /** The deliveries of this process, by subject. `again` is set if a change was added meanwhile. */
  readonly #running = new Map<string, { again: boolean }>()

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
    const run = { again: false }
    this.#running.set(subject, run)
    try {
      do {
        run.again = false
        await this.#deliverAll(subject, waits, delivered)
      } while (run.again)
    } finally {
      this.#running.delete(subject)
    }
    return delivered
  }

  async #deliverAll(subject: string, waits: boolean, delivered: VerificationChange[]): Promise<void> {
    const { records, leaseMs, timing } = this.#options
    const startedAt = timing.now()
    for (let round = 1; ; round++) {
      // Also after the lock was released, because another process may have added a change and not got the lock.
      if ((await records.read(subject)).record.changes.length === 0) return
      const lock = { ttlMs: leaseMs, renews: true }
      if (await records.withLock('change', subject, lock, () => this.#deliverLocked(subject, delivered)))
        continue
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

  async #deliverLocked(subject: string, delivered: VerificationChange[]): Promise<void> {
    const { records, onChange } = this.#options
    for (;;) {
      const { changes, history } = (await records.read(subject)).record
      const [next] = changes
      if (next === undefined) return
      const { id, from, to } = next
      const verification = { ...next.verification, subject, history } as Verification
      const change = { subject, from, to, verification }
      await onChange?.(change)
      await records.removeChange(subject, id)
      delivered.push(change)
    }
  }
}
