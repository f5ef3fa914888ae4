import type { Timing } from '../runtime/timing.ts'
import { driverError } from './driver-error.ts'
import { withTimeLimit } from './time-limit.ts'

/** An operation of a store. */
export interface StoreOperation {
  /** The subject of error messages, such as `Redis`. */
  readonly engine: string
  /** Its name, such as `get`. */
  readonly operation: string
  /** The key and values that it was given. An error shows none of them. */
  readonly texts: readonly string[]
  /** Without it, the operation ends in time by itself. */
  readonly timeoutMs: number | undefined
  readonly timing: Pick<Timing, 'timer'>
  /** Whether it may have taken effect if it fails. @default true unless it is a read */
  readonly mayHaveHappened?: boolean
}

/**
 * Runs an operation within its time limit.
 *
 * @param start is passed a signal that aborts when the time is over
 * @throws {StoreError} it failed, or took too long
 */
export async function runOperation<T>(
  start: (signal: AbortSignal) => Promise<T>,
  {
    engine,
    operation,
    texts,
    timeoutMs,
    timing,
    mayHaveHappened = operation !== 'get' && operation !== 'scan',
  }: StoreOperation,
): Promise<T> {
  try {
    return await withTimeLimit(start, { engine, operation, mayHaveHappened, timeoutMs, timing })
  } catch (thrown) {
    throw driverError(thrown, { engine, operation, texts, mayHaveHappened })
  }
}
