/** How the run of an event ended. */
export type EventOutcome = 'processed' | 'duplicate' | 'in_progress'

/** What a callback gets with its event. */
export interface SignalContext {
  /**
   * Aborts when another process may be handling the event too: its lease was lost, or, with an inbox, its transaction.
   * The reason is a `StoreError`. Pass it to what your callback awaits, and throw when it aborts.
   */
  readonly signal: AbortSignal
}

/** What a callback gets with its event if the handler has an `inbox`. */
export interface TransactionContext<Tx> extends SignalContext {
  /**
   * The transaction that also records the event: what you write through it is committed exactly once for the event.
   * Do not end it yourself.
   */
  readonly tx: Tx
}

/** What an inbox records of an event. */
export interface InboxEntry {
  /** Identifies the event, and the handler if it has a `name`. It may be any text of any length. */
  readonly key: string
  /** How long the entry must be kept, in milliseconds. */
  readonly retainMs: number
}

/**
 * Records events in the database of your own data, so that an event's record and what its callbacks write commit
 * together. Pass it as `inbox`. `Tx` is what callbacks write through, such as a client inside the transaction. Check an
 * inbox of your own with `testInbox` of `stores/testing`.
 */
export interface EventInbox<Tx> {
  /**
   * Inserts the entry, runs the work and commits, in one transaction:
   *
   * - `processed`: committed
   * - `duplicate`: the entry was committed before, and the work did not run
   * - `in_progress`: another transaction that inserts the entry has not ended, at once or within a few seconds, and the
   *   work did not run
   *
   * If the work rejects, everything is rolled back, and `process` rejects with the same error. It rejects with
   * `StoreError` if the database fails, and with another error if the work ended the transaction itself.
   *
   * @param work runs at most once; its `signal` aborts as soon as the inbox notices that the transaction can no longer
   *   commit
   *
   * @example
   * const outcome = await inbox.process({ key: 'webhook:evt_1', retainMs: 604_800_000 }, async ({ tx }) => {
   *   await tx.query('UPDATE accounts SET verified = true WHERE session_id = $1', [id])
   * })
   */
  process(entry: InboxEntry, work: (context: TransactionContext<Tx>) => Promise<void>): Promise<EventOutcome>
}
