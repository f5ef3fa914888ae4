import type { ErrorDetail } from '../../errors/error-detail.ts'
import { StoreError } from '../../errors/sdk-error.ts'
import { backoffMs, type Timing } from '../../runtime/timing.ts'
import { type Held, type LockOptions, withLock } from '../../stores/lock.ts'
import { guardedStore, persist } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import {
  decodeRecord,
  encodeRecord,
  type PendingChange,
  reportedState,
  toVerification,
  type VerificationRecord,
} from './record.ts'
import type { Transition } from './transitions.ts'
import type { Verification, VerificationChange } from './verification.ts'

/** Conflicts after which an update gives up. Each of them means that another process changed the record. */
const maxConflicts = 100

/** A record and the text that is stored for it. */
export interface StoredRecord {
  readonly record: VerificationRecord
  readonly text: string | null
}

/** A record after an update. */
export interface UpdatedRecord extends StoredRecord {
  /** The change of the state, if the update made one. */
  readonly change: VerificationChange | undefined
}

export interface RecordSettings {
  /** Separates managers that share the store. Contains no colon. */
  readonly name: string
  /** The span in which sessions count as attempts, in milliseconds. */
  readonly spanMs: number
  /** Whether changes are kept until they are delivered. */
  readonly keepsChanges: boolean
  /** The time by the clock of the manager, in milliseconds since the epoch. */
  readonly clock: () => number
  readonly timing: Timing
  /** Whether errors show what the store threw. */
  readonly errorDetail: ErrorDetail | undefined
}

/** The records of all people in a store. They change only by compare-and-set. */
export class VerificationRecords {
  readonly #store: Store
  readonly #settings: RecordSettings
  readonly #prefix: string

  constructor(store: Store, settings: RecordSettings) {
    this.#prefix = `verification:${settings.name}:`
    this.#store = guardedStore('createVerificationManager', store, 'the store of verifications', settings)
    this.#settings = settings
  }

  /** @throws {StoreError} */
  async read(subject: string): Promise<StoredRecord> {
    const text = await this.#store.get(this.#prefix + subject)
    return { record: decodeRecord(text), text }
  }

  toVerification(subject: string, record: VerificationRecord): Verification {
    const { clock, spanMs } = this.#settings
    return toVerification(subject, record, clock() - spanMs)
  }

  /**
   * Applies a transition to the newest record, and records the change of the state with it.
   *
   * @param from the record as it was read, if it was
   * @throws {StoreError}
   */
  async update(subject: string, transition: Transition, from?: StoredRecord): Promise<UpdatedRecord> {
    const { timing } = this.#settings
    for (let conflicts = 0, read = from; conflicts < maxConflicts; conflicts++, read = undefined) {
      const updated = await this.replace(subject, read ?? (await this.read(subject)), transition)
      if (updated) return updated
      await timing.sleep(backoffMs(1, 0.02 * timing.random()), undefined)
    }
    throw new StoreError({
      message: `the record of a verification was changed ${maxConflicts} times meanwhile`,
    })
  }

  /** @returns `undefined` if another process has changed the record since it was read */
  async replace(
    subject: string,
    { record, text }: StoredRecord,
    transition: Transition,
  ): Promise<UpdatedRecord | undefined> {
    const { keepsChanges, timing } = this.#settings
    const next = transition(record)
    if (next === record) return { record, text, change: undefined }
    const change = this.#changeBetween(subject, record, next)
    const complete =
      change && keepsChanges ? { ...next, changes: [...next.changes, pendingChange(change)] } : next
    const nextText = encodeRecord(complete)
    const isWritten = await persist(() => this.#write(this.#prefix + subject, text, nextText), timing)
    return isWritten ? { record: complete, text: nextText, change } : undefined
  }

  /** Removes a change that was delivered. */
  async removeChange(subject: string, id: string): Promise<void> {
    await this.update(subject, (record) => ({
      ...record,
      changes: record.changes.filter((one) => one.id !== id),
    }))
  }

  delete(subject: string): Promise<boolean> {
    return this.#store.delete(this.#prefix + subject)
  }

  /** The subjects of all records. None if the store cannot list its keys. */
  async *subjects(): AsyncGenerator<string, void, undefined> {
    for await (const key of this.#store.scan?.(this.#prefix) ?? []) yield key.slice(this.#prefix.length)
  }

  /** Runs work while this process holds a lock on a person. */
  withLock<T>(
    lock: 'start' | 'change',
    subject: string,
    options: Omit<LockOptions, 'key' | 'timing'>,
    work: (held: Held) => Promise<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const { timing, name } = this.#settings
    return withLock(this.#store, { ...options, key: `verification-${lock}:${name}:${subject}`, timing }, work)
  }

  /** Whether this wrote it, also if it was an earlier attempt whose response was lost. */
  async #write(key: string, old: string | null, next: string | null): Promise<boolean> {
    const isWritten =
      next === null
        ? old !== null && (await this.#store.compareAndDelete(key, old))
        : old === null
          ? await this.#store.set(key, next, { ifAbsent: true })
          : await this.#store.compareAndSet(key, old, next)
    return isWritten || (await this.#store.get(key)) === next
  }

  #changeBetween(
    subject: string,
    before: VerificationRecord,
    after: VerificationRecord,
  ): VerificationChange | undefined {
    const from = reportedState(before)
    const to = reportedState(after)
    return from === to ? undefined : { subject, from, to, verification: this.toVerification(subject, after) }
  }
}

function pendingChange({ from, to, verification }: VerificationChange): PendingChange {
  const { subject: _, history: __, ...rest } = verification
  return { id: crypto.randomUUID(), from, to, verification: rest }
}
