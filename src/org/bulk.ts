import { type BulkSource, isBulkSource } from '../bulk/bulk.ts'
import { AbortedError, invalidParam } from '../errors/call-errors.ts'
import type { ErrorDetail } from '../errors/error-detail.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** Options of a method that makes many calls. Each option applies to every single call, `signal` to all together. */
export interface BulkOptions extends Omit<RequestOptions, 'idempotencyKey' | 'extraParams'> {
  /** Ends the call in progress and any wait, and prevents further calls. Checked at each item of the source. */
  readonly signal?: AbortSignal | undefined
}

export const bulkOptionRules = {
  signal: true,
  timeoutMs: true,
  deadlineMs: true,
  maxRetries: true,
  headers: true,
} as const

/** The call that a source is read for. */
interface Reading {
  readonly operation: string
  readonly signal: AbortSignal | undefined
  readonly errorDetail: ErrorDetail | undefined
}

/**
 * Reads a source until the signal aborts. If the reader stops early, the source is closed too.
 *
 * @param name the param that the source is
 * @throws {InvalidParamsError} the source cannot be iterated, or it is a string
 * @throws {AbortedError}
 */
export async function* read<T>(
  source: BulkSource<T>,
  name: string,
  reading: Reading,
): AsyncGenerator<T, void, undefined> {
  if (!isBulkSource(source)) throw invalidParam(reading.operation, name, 'must be an array or another iterable')
  throwIfAborted(reading)
  for await (const item of source) {
    throwIfAborted(reading)
    yield item
  }
}

/** @throws {AbortedError} */
export function throwIfAborted({ operation, signal, errorDetail }: Reading): void {
  if (!signal?.aborted) return
  throw new AbortedError({ operation, attempts: 0, mayHaveArrived: false, errorDetail, cause: signal.reason })
}
