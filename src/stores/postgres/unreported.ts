import { type LimitedOperation, withTimeLimit } from '../operation.ts'

/** Runs work whose failure no caller sees, within the time limit of an operation. */
export const runUnreported = <T>(
  start: (signal: AbortSignal) => Promise<T>,
  limit: Pick<LimitedOperation, 'engine' | 'timeoutMs' | 'timing'>,
): Promise<T> => withTimeLimit(start, { ...limit, operation: 'unreported work', mayHaveHappened: true })
