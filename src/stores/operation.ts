import type { ErrorDetail } from '../errors/error-detail.ts'
import type { Timing } from '../runtime/timing.ts'
import { driverError } from './driver-error.ts'
import { withTimeLimit } from './time-limit.ts'

/** An operation of a store. */
export interface StoreOperation {
  /** The subject of error messages, such as `Redis`. */
  readonly engine: string
  /** Its name, such as `get`. */
  readonly operation: string
  /** Without it, the operation ends in time by itself. */
  readonly timeoutMs: number | undefined
  readonly timing: Pick<Timing, 'timer'>
  /** Whether it may have taken effect if it fails. @default true unless it is a read */
  readonly mayHaveHappened?: boolean
  readonly errorDetail: ErrorDetail | undefined
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
    timeoutMs,
    timing,
    mayHaveHappened = operation !== 'get' && operation !== 'scan',
    errorDetail,
  }: StoreOperation,
): Promise<T> {
  try {
    return await withTimeLimit(start, { engine, operation, mayHaveHappened, timeoutMs, timing })
  } catch (thrown) {
    throw driverError(thrown, { engine, operation, mayHaveHappened, errorDetail })
  }
}
