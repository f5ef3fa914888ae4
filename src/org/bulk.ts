import { AbortedError, InvalidParamsError } from '../errors/call-errors.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** Options of a method that makes many calls: each holds for one call, the signal for all of them. */
export interface BulkOptions extends Omit<RequestOptions, 'idempotencyKey'> {
  /** Ends the call under way, the waits, and what would follow. It is looked at whenever the source gives something. */
  readonly signal?: AbortSignal | undefined
}

/** What callers give many of. */
export type Source<T> = Iterable<T> | AsyncIterable<T>

/**
 * Reads a source until the signal aborts. Leaving early ends the source too.
 *
 * @throws {InvalidParamsError} it is no source; a text is none, though it could be read letter by letter
 * @throws {AbortedError}
 */
export async function* read<T>(
  source: Source<T>,
  { name, operation, signal }: { name: string; operation: string; signal: AbortSignal | undefined },
): AsyncGenerator<T, void, undefined> {
  if (!isSource(source)) {
    const issue = { path: name, message: 'must be a list or another iterable' }
    throw new InvalidParamsError([issue], { operation, attempts: 0 })
  }
  const stopIfAborted = () => throwIfAborted(signal, operation)
  stopIfAborted()
  for await (const item of source) {
    stopIfAborted()
    yield item
  }
}

/** @throws {AbortedError} */
export function throwIfAborted(signal: AbortSignal | undefined, operation: string): void {
  if (!signal?.aborted) return
  throw new AbortedError({ operation, attempts: 0 }, { mayHaveArrived: false, cause: signal.reason })
}

const isSource = (value: unknown) =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
