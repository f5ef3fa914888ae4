/** Receives log records. `console` and winston work as they are. pino takes the fields first, so swap the arguments. */
export interface Logger {
  /** Attempts and responses. */
  debug(message: string, fields?: Record<string, unknown>): void
  /** Not used yet. */
  info(message: string, fields?: Record<string, unknown>): void
  /** Retries, failed calls, responses that are not as documented, and requests that a handler rejected. */
  warn(message: string, fields?: Record<string, unknown>): void
  /** Failures of a handler, and errors that your callbacks threw. */
  error(message: string, fields?: Record<string, unknown>): void
}

/** What a message says after "must" if a logger is invalid. */
export const loggerForm = 'have the methods debug, info, warn and error'

export function isLogger(value: unknown): value is Logger {
  const logger = Object(value) as Partial<Logger>
  return (['debug', 'info', 'warn', 'error'] as const).every((level) => typeof logger[level] === 'function')
}
