import { type Logger, writeNote } from '../runtime/logger.ts'

/**
 * Work on many items, such as the members that `addAll` adds. It starts when you consume it, and runs once:
 *
 * - `await` runs it to the end and returns the totals.
 * - `for await` yields each item when it is done. If you leave the loop early, the work ends. After the loop, `await`
 *   returns the totals so far and runs nothing again.
 *
 * If nothing consumes it, nothing is sent. Lint rules against floating promises report this, and a warning is written
 * when it is garbage collected: once for each method, to the logger or else to `console.error`. Items are not kept: a
 * loop after `await` yields nothing. If the work throws, so do the loop and every `await`.
 *
 * @example
 * const { created, failed } = await org.members.addAll(people)
 * for await (const batch of org.members.addAll(people)) console.log(batch.outcome)
 */
export interface Bulk<Item, Summary> extends AsyncIterable<Item>, Promise<Summary> {}

/** An item for which the work failed. */
export interface BulkFailure<Item, Failure> {
  /** The item as you passed it, or as the work found it. */
  readonly item: Item
  /** Why. */
  readonly error: Failure
}

/** Who made work, for a warning if nothing consumes it. */
export interface BulkOwner {
  /** The method, such as `members.addAll`. */
  readonly operation: string
  readonly logger: Logger | undefined
}

/**
 * Creates the work from a generator. All consumers share one run.
 *
 * @param summarize returns the totals so far
 */
export function bulk<Item, Summary>(
  run: () => AsyncGenerator<Item, void, undefined>,
  summarize: () => Summary,
  owner?: BulkOwner,
): Bulk<Item, Summary> {
  let started: AsyncGenerator<Item, void, undefined> | undefined
  let failure: { readonly error: unknown } | undefined
  async function* work() {
    try {
      yield* run()
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  const items = () => {
    unused?.unregister(result)
    started ??= work()
    return started
  }
  const finish = async () => {
    for await (const _ of items());
    // Another consumer received the error. Without this, totals of incomplete work would look complete.
    if (failure) throw failure.error
    return summarize()
  }
  const result: Bulk<Item, Summary> = {
    [Symbol.asyncIterator]: items,
    [Symbol.toStringTag]: 'Bulk',
    // biome-ignore lint/suspicious/noThenProperty: `await` runs the work to its end
    then: (onFulfilled, onRejected) => finish().then(onFulfilled, onRejected),
    catch: (onRejected) => finish().catch(onRejected),
    finally: (onFinally) => finish().finally(onFinally),
  }
  // Not every runtime has it.
  if (owner && typeof FinalizationRegistry === 'function') {
    unused ??= new FinalizationRegistry(warnOnce)
    unused.register(result, owner, result)
  }
  return result
}

/** Work that nothing has consumed. Created at first use, so that bundlers can drop it. */
let unused: FinalizationRegistry<BulkOwner> | undefined
const warned = new Set<string>()

function warnOnce({ operation, logger }: BulkOwner): void {
  if (warned.has(operation)) return
  warned.add(operation)
  writeNote(
    logger,
    `${operation}: nothing was sent, because the result was neither awaited nor iterated. Await it, or iterate it with for await.`,
  )
}

/**
 * The items that a bulk method works through: an array, another iterable or an async iterable. A string does not
 * compile.
 */
export type BulkSource<T> = (Iterable<T> | AsyncIterable<T>) & object

/** A string is rejected, because it would be read character by character. */
export const isBulkSource = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
