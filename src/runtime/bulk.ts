/**
 * Work on many items. It starts when it is consumed. `await` runs it to the end and gives the totals; `for await` gives
 * each item as it is done. After `for await` has ended, `await` gives the totals without running anything again.
 *
 * @example
 * const { created, failed } = await client.members.addAll(rows)
 * for await (const batch of client.members.addAll(rows)) console.log(batch.created.length)
 */
export interface Bulk<Item, Summary> extends AsyncIterable<Item>, PromiseLike<Summary> {}

/**
 * Creates the work from a generator that yields items and returns the totals. It runs once, however it is consumed: a
 * second loop goes on where the first one stopped. If the first one was left early, the work has ended.
 *
 * @param summarize returns the totals so far, for a loop that was left early
 */
export function bulk<Item, Summary>(
  run: () => AsyncGenerator<Item, void, undefined>,
  summarize: () => Summary,
): Bulk<Item, Summary> {
  let started: AsyncGenerator<Item, void, undefined> | undefined
  const items = () => {
    started ??= run()
    return started
  }
  const finish = async () => {
    for await (const _ of items());
    return summarize()
  }
  return {
    [Symbol.asyncIterator]: items,
    // biome-ignore lint/suspicious/noThenProperty: `await` runs the work to its end
    then: (onFulfilled, onRejected) => finish().then(onFulfilled, onRejected),
  }
}
