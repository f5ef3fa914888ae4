/** Options of a client with a logger and an `onEvent` hook, and everything that both received. */
export function hookRecorder() {
  const records: unknown[] = []
  const record = (...values: unknown[]) => void records.push(...values)
  const logger = { debug: record, info: record, warn: record, error: record }
  return { records, options: { logger, onEvent: record } }
}
