/**
 * Receives log records. pino, bunyan, winston and `console` work as they are. pino and bunyan take the fields first,
 * and are called so: they are recognized by methods that they document, `bindings` and `addStream`. For the others, a
 * message with `%` or `{`, which they may read as a template, ends before it, and the field `text` has all of it.
 */
export interface Logger {
  /** Attempts and responses. */
  debug(message: string, fields?: Record<string, unknown>): void
  /** Deliveries of webhooks and sign-ins that were handled. */
  info(message: string, fields?: Record<string, unknown>): void
  /** Retries, failed calls, responses that are not as documented, and requests that a handler rejected. */
  warn(message: string, fields?: Record<string, unknown>): void
  /** Failures of a handler, and errors that your callbacks threw. */
  error(message: string, fields?: Record<string, unknown>): void
}

/** The levels, from the lowest. */
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly (keyof Logger)[]

/** A logger of pino or bunyan. */
type FieldsFirstLogger = Readonly<Record<keyof Logger, (fields: object, message: string) => void>>

/** Writes a record in the order of arguments that the logger takes. */
export function writeLog(
  logger: Logger,
  level: keyof Logger,
  message: string,
  fields: Record<string, unknown>,
): unknown {
  if (takesFieldsFirst(logger)) return logger[level](fields, message)
  const start = message.search(/[%{]/)
  if (start < 0) return logger[level](message, fields)
  // Read as a template, it would lose text, or the fields: of `%` by console, winston and log4js, of `{` by LogTape.
  const end = message.lastIndexOf(': ', start)
  return logger[level](message.slice(0, end < 0 ? start : end), { ...fields, text: message })
}

/** Writes a record, if there is a logger. It may throw. */
export function writeRecord(
  logger: Logger | undefined,
  level: keyof Logger,
  message: string,
  fields: Record<string, unknown>,
): void {
  if (logger) callHook(() => writeLog(logger, level, message, fields))
}

/** Writes a warning to the logger, or else to `console.error`, so that it is never silent. */
export function writeNote(logger: Logger | undefined, message: string): void {
  callHook(() => (logger ? logger.warn(message) : console.error(`identity-service-sdk: ${message}`)))
}

const takesFieldsFirst = (logger: object): logger is FieldsFirstLogger =>
  has(logger, 'child') && (has(logger, 'bindings') || has(logger, 'addStream'))

const has = (logger: object, method: string) =>
  typeof (logger as Readonly<Record<string, unknown>>)[method] === 'function'

/**
 * Calls a hook of the caller. If it throws, or its promise rejects, only `onThrown` is called, because a call that may
 * have been billed must not fail because of a hook.
 *
 * @returns what the hook returns, or `undefined` if it fails. A promise never rejects
 */
export function callHook<Result>(
  hook: () => Result,
  onThrown: (thrown: unknown) => void = () => {},
): Result | Promise<Awaited<Result> | undefined> | undefined {
  const failed = (thrown: unknown) => void onThrown(thrown)
  try {
    const result = hook()
    return isThenable(result) ? Promise.resolve(result).catch(failed) : result
  } catch (thrown) {
    return failed(thrown)
  }
}

/** Not only promises, because libraries return thenables of their own, which reject as well. */
const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
