/** Runs work on each item of a source, and yields results as they come. An abort ends it without an error. */
export async function* inParallel<T, Result>(
  source: Iterable<T> | AsyncIterable<T>,
  {
    concurrency,
    signal,
    work,
  }: { concurrency: number; signal: AbortSignal | undefined; work: (item: T) => Promise<Result> },
): AsyncGenerator<Result, void, undefined> {
  const running = new Set<Promise<Result>>()
  const next = async () => {
    const first = await Promise.race([...running].map((one) => one.then((result) => ({ one, result }))))
    running.delete(first.one)
    return first.result
  }
  try {
    for await (const item of source) {
      if (signal?.aborted) break
      running.add(work(item))
      if (running.size >= concurrency) yield await next()
      if (signal?.aborted) break
    }
    while (running.size > 0) yield await next()
  } finally {
    // If the loop is left early, or the source fails, no work continues unseen.
    await Promise.allSettled(running)
  }
}
