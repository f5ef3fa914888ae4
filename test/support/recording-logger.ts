import type { Logger } from '../../src/index.ts'

type LogRecord = [message: string, fields?: object]

/** A logger, its records with their levels, and its warnings and errors without. */
export function recordingLogger() {
  const records: [level: keyof Logger, ...LogRecord][] = []
  const warnings: LogRecord[] = []
  const at = (level: keyof Logger) => (message: string, fields?: object) => {
    const record: LogRecord = fields === undefined ? [message] : [message, fields]
    records.push([level, ...record])
    if (level === 'warn' || level === 'error') warnings.push(record)
  }
  const logger: Logger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { logger, records, warnings }
}
