import { ConfigurationError, StoreError } from '../../errors/sdk-error.ts'
import type { Stream } from '../../observe/stream.ts'
import type { Timing } from '../../runtime/timing.ts'
import { Cells, checkApplication, type Stored } from '../../stores/cell.ts'
import { Lease } from '../../stores/exclusive.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { ListedValue, Store, StoreLists } from '../../stores/store.ts'
import {
  allLists,
  decodeRecord,
  encodeRecord,
  listOf,
  noRecord,
  type PendingChange,
  reportedState,
  toVerification,
  type VerificationRecord,
} from './record.ts'
import type { Transition } from './transitions.ts'
import type { Verification, VerificationChange } from './verification.ts'

/** A record and the text that is stored for it. */
export type StoredRecord = Stored<VerificationRecord>

/** A record after an update. */
export interface UpdatedRecord {
  readonly stored: StoredRecord
  /** The change of the state, if the update made one. */
  readonly change?: VerificationChange | undefined
  /** The run of this process that the record names as the one that delivers its changes, if the update began it. */
  readonly delivering?: Lease | undefined
}

/** What an update starts from. */
export interface UpdateFrom {
  /** The record as it was read. @default it is read */
  readonly stored?: StoredRecord | undefined
  /** A run of this process, which can also deliver the change. @default one begins if a change is to be delivered */
  readonly run?: Lease | undefined
  /** When the time of the caller is over, by the monotonic clock: no other attempt to write begins then. */
  readonly until?: number | undefined
}

/** A person in a list. */
export interface ListedPerson {
  readonly subject: string
  readonly list: string
  /** When the record last changed, in milliseconds since the epoch. */
  readonly at: number
}

export interface RecordSettings {
  /** Separates managers that share the store. Contains no colon. */
  readonly name: string
  /** Names the application in its records. */
  readonly application: string | undefined
  /** The span in which sessions count as attempts, in milliseconds. */
  readonly spanMs: number
  /** Whether changes are kept until they are delivered. */
  readonly keepsChanges: boolean
  readonly leaseMs: number
  /** The time by the clock of the manager, in milliseconds since the epoch. */
  readonly clock: () => number
  readonly timing: Timing
  readonly stream: Stream
}

/**
 * The records of all people in a store. They change only by compare-and-set, together with the lists that they are in.
 */
export class VerificationRecords {
  readonly runs: Runs
  readonly #store: Store
  readonly #cells: Cells<VerificationRecord>
  readonly #settings: RecordSettings
  readonly #prefix: string

  constructor(store: Store, settings: RecordSettings) {
    this.#prefix = `verification:${settings.name}:`
    this.#store = guardedStore('createVerificationManager', store, 'the store of verifications', settings)
    this.#settings = settings
    this.runs = new Runs(this.#store, settings)
    const form = {
      encode: (_: string, record: VerificationRecord) => this.#encode(record),
      decode: (_: string, text: string | null) => this.#decode(text),
      entryOf: (record: VerificationRecord) => this.#entryOf(record),
    }
    this.#cells = new Cells(this.#store, { form, timing: settings.timing })
  }

  #encode(record: VerificationRecord): string | null {
    const { application } = this.#settings
    return encodeRecord(application === undefined ? record : { ...record, app: application })
  }

  /** @throws {ConfigurationError} it is the record of another application */
  #decode(text: string | null): VerificationRecord {
    const record = decodeRecord(text)
    checkApplication('verifications', record.app, this.#settings.application)
    return record
  }

  /** @throws {StoreError} */
  read(subject: string): Promise<StoredRecord> {
    return this.#cells.read(this.#prefix + subject)
  }

  toVerification(subject: string, record: VerificationRecord): Verification {
    const { clock, spanMs } = this.#settings
    return toVerification(subject, record, { now: clock(), ms: spanMs })
  }

  /**
   * Applies a transition to the newest record, and records the change of the state with it. The caller delivers it.
   *
   * @throws {StoreError}
   */
  async update(subject: string, transition: Transition, { run, ...from }: UpdateFrom): Promise<UpdatedRecord> {
    // A run that begins here must be named by the record in the same write as the change: named later, a crash in
    // between would leave a change that nobody delivers; and it must live before it is named, or others would take it
    // for failed. So it begins inside of the update, which may be tried several times, and only if there is a change.
    let deliverer: Lease | undefined
    const withDeliverer = async (record: VerificationRecord) => {
      // The run of another process delivers what is added, unless it has failed.
      if (record.delivery !== null) return record.delivery
      deliverer ??= run?.isHeld ? run : await this.runs.begin()
      return deliverer.holder
    }
    const { updated, change } = await this.#apply(subject, transition, withDeliverer, from).catch(async (error) => {
      // The record may name the run all the same, and others would wait for the end of its lease.
      if (deliverer !== run) await deliverer?.release().catch(() => {})
      throw error
    })
    // Another process may have recorded a change between two tries, so that its run delivers this one too.
    const isOurs = deliverer !== undefined && updated.value.delivery === deliverer.holder
    if (!isOurs && deliverer !== run) deliverer?.end()
    return { stored: updated, change, delivering: isOurs ? deliverer : undefined }
  }

  /**
   * Applies a transition as {@link update} does, for a caller that goes on before it delivers. A crash until then
   * leaves the change to `reconcile`.
   *
   * @throws {StoreError}
   */
  async updateOnly(subject: string, transition: Transition, from: Omit<UpdateFrom, 'run'>): Promise<UpdatedRecord> {
    const { updated, change } = await this.#apply(subject, transition, async ({ delivery }) => delivery, from)
    return { stored: updated, change }
  }

  /** @param delivererOf returns the run that delivers a change of a record */
  async #apply(
    subject: string,
    transition: Transition,
    delivererOf: (record: VerificationRecord) => Promise<string | null>,
    { stored, until }: Omit<UpdateFrom, 'run'>,
  ): Promise<{ readonly updated: StoredRecord; readonly change: VerificationChange | undefined }> {
    let change: VerificationChange | undefined
    const apply = async (record: VerificationRecord): Promise<VerificationRecord> => {
      const next = transition(record)
      change = next === record ? undefined : this.#changeBetween(subject, record, next)
      if (change === undefined || !this.#settings.keepsChanges) return next
      const delivery = await delivererOf(record)
      return { ...next, changes: [...next.changes, pendingChange(change)], delivery }
    }
    const updated = await this.#cells.update(this.#prefix + subject, apply, stored, until)
    return { updated, change }
  }

  /**
   * Applies a transition that does not change the reported state.
   *
   * @returns `undefined` if another process has changed the record since it was read
   */
  replace(
    subject: string,
    stored: StoredRecord,
    transition: Transition,
    until?: number,
  ): Promise<StoredRecord | undefined> {
    return this.#cells.replace(this.#prefix + subject, stored, transition(stored.value), until)
  }

  /**
   * Deletes a record, and its entry in a list.
   *
   * @returns whether it was deleted; not if another process has changed it since it was read
   */
  async remove(subject: string, stored: StoredRecord): Promise<boolean> {
    return (await this.#cells.replace(this.#prefix + subject, stored, noRecord)) !== undefined
  }

  /**
   * @returns `undefined` if the text is not a record of this version
   * @throws {ConfigurationError} it is the record of another application
   */
  async readIfValid(subject: string): Promise<StoredRecord | undefined> {
    const text = await this.#store.get(this.#prefix + subject)
    try {
      return { value: this.#decode(text), text }
    } catch (error) {
      if (error instanceof ConfigurationError) throw error
      return undefined
    }
  }

  /** Deletes what is stored for a person, whatever it is, and all entries. */
  async delete(subject: string): Promise<boolean> {
    const key = this.#prefix + subject
    const wasThere = await this.#store.delete(key)
    for (const list of allLists())
      await this.#store.lists?.replace(key, { value: null, list: this.#prefix + list }, { value: null })
    return wasThere
  }

  /** The subjects of all records. `undefined` if the store cannot list its keys. */
  get scan(): (() => AsyncIterable<string>) | undefined {
    const { scan } = this.#store
    const subjectsOf = this.#subjectsOf.bind(this)
    return scan && (() => subjectsOf(scan(this.#prefix)))
  }

  /** Whether the store keeps lists. */
  get isListing(): boolean {
    return this.#store.lists !== undefined
  }

  /** Yields the people of a list, in the order of their last change. */
  async *listed(list: string, before?: number): AsyncGenerator<ListedPerson> {
    for await (const { key, at } of this.#lists.range(this.#prefix + list, { before }))
      yield { subject: key.slice(this.#prefix.length), list, at }
  }

  count(list: string): Promise<number> {
    return this.#lists.count(this.#prefix + list)
  }

  /** Writes the entry of a record, and removes that of a list in which it is not. */
  async writeEntry(subject: string, { value, text }: StoredRecord, found?: string): Promise<void> {
    const from = { value: text, list: found === undefined ? undefined : this.#prefix + found }
    // If the record has changed meanwhile, its entry has been written too.
    await this.#lists.replace(this.#prefix + subject, from, { value: text, ...this.#entryOf(value) })
  }

  #entryOf(record: VerificationRecord): Omit<ListedValue, 'value'> {
    const list = listOf(record)
    return list === undefined ? {} : { list: this.#prefix + list, at: Date.parse(record.updatedAt ?? '') || 0 }
  }

  get #lists(): StoreLists {
    const { lists } = this.#store
    if (lists) return lists
    throw new ConfigurationError({
      message:
        'verifications: the store keeps no lists, so people cannot be found by their state. Use a store of this package.',
    })
  }

  async *#subjectsOf(keys: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const key of keys) yield key.slice(this.#prefix.length)
  }

  #changeBetween(
    subject: string,
    before: VerificationRecord,
    after: VerificationRecord,
  ): VerificationChange | undefined {
    const from = reportedState(before)
    const to = reportedState(after)
    if (from === to) return undefined
    return { id: crypto.randomUUID(), subject, from, to, verification: this.toVerification(subject, after) }
  }
}

function pendingChange({ id, from, to, verification }: VerificationChange): PendingChange {
  const { subject: _, history: __, ...rest } = verification
  return { id, from, to, verification: rest }
}

export interface RunSettings {
  /** Separates managers that share the store. */
  readonly name: string
  readonly leaseMs: number
  readonly timing: Timing
}

/**
 * The runs of managers. A run has a lease, and a record names the run that creates a session or calls `onChange` for
 * it. The lease begins before the record names it. So a record whose run has no lease was left by a process that
 * failed.
 */
export class Runs {
  readonly #store: Store
  readonly #settings: RunSettings

  constructor(store: Store, settings: RunSettings) {
    this.#store = store
    this.#settings = settings
  }

  async begin(): Promise<Lease> {
    const { leaseMs: ttlMs, timing } = this.#settings
    const holder = crypto.randomUUID()
    const lease = await Lease.acquire({
      store: this.#store,
      key: this.#key(holder),
      holder,
      ttlMs,
      timing,
      lost: runLost,
    })
    if (lease instanceof Lease) return lease
    throw new StoreError({ message: 'The store has another value under a key that was just created' })
  }

  /** Whether the process of a run still works. */
  async isAlive(run: string): Promise<boolean> {
    return (await this.#store.get(this.#key(run))) !== null
  }

  #key(run: string): string {
    return `verification-run:${this.#settings.name}:${run}`
  }
}

const runLost = (cause?: unknown) =>
  new StoreError({
    message:
      'The lease of a run ended while it worked, so another process may run the same work. Check the connection to the store.',
    cause,
  })
