import { callHook, type Logger, writeLog, writeNote } from '../runtime/logger.ts'
import type { Timing } from '../runtime/timing.ts'
import { defaultErrorDetail, type ErrorDetail, factsOfThrown } from './error-detail.ts'
import { hasBrand } from './sdk-error.ts'

export interface FailureLogOptions {
  /** Receives the records. Without it, they are written to `console.error`. */
  readonly logger: Logger | undefined
  /** Called with each failure and rejection. */
  readonly onError?: ((error: unknown, context: object) => unknown) | undefined
  /**
   * Whether the caller gets every failure. Then nothing is written without a logger.
   *
   * @default whether there is an `onError`
   */
  readonly isHandled?: boolean
  /** Whether records contain the messages of errors that other code threw. @default as `SVC_ERROR_DETAIL` says */
  readonly errorDetail?: ErrorDetail | undefined
  readonly timing: Pick<Timing, 'now'>
}

/** What failed, and why. */
export interface Failure {
  /** The subject of the record, such as `the callback for verification.approved`. */
  readonly what: string
  readonly error: unknown
}

/** Rejections for one reason are written once in this time, because anyone can send requests that are rejected. */
const quietMs = 60_000
/** The service can send any number of error codes. Those beyond this number share one limit. */
const maxReasons = 64

/**
 * Reports failures to the caller's `onError` and logger. Without both they are written to `console.error`, so that none is
 * silent. A record has the class, the code and the places in the stack of the error, and its message if this package
 * wrote it. Other messages may contain personal data.
 */
export class FailureLog {
  readonly #logger: Logger | undefined
  readonly #onError: FailureLogOptions['onError']
  readonly #isHandled: boolean
  readonly #detail: ErrorDetail
  readonly #timing: Pick<Timing, 'now'>
  readonly #written = new Map<string, { readonly at: number; suppressed: number }>()

  constructor({
    logger,
    onError,
    isHandled = onError !== undefined,
    errorDetail,
    timing,
  }: FailureLogOptions) {
    this.#logger = logger
    this.#detail = errorDetail ?? defaultErrorDetail()
    this.#onError = onError
    this.#isHandled = isHandled && logger === undefined
    this.#timing = timing
  }

  /** Writes a failure of the caller's code, of a store or of the service, at once. @param context for `onError` */
  failed(failure: Failure, context: object = {}): void {
    this.#callOnError(failure, context)
    if (!this.#isHandled) this.#write('error', `${failure.what} failed`, failure)
  }

  /** Writes that a request was rejected, at most once a minute for each reason. */
  rejected(failure: Failure, reason: string): void {
    this.#callOnError(failure, {})
    if (!this.#isHandled) this.#writeOnce('warn', `${failure.what} was rejected`, failure, reason)
  }

  /** Writes what is unexpected and nevertheless accepted, so that `onError` does not get it. */
  noted(message: string): void {
    writeNote(this.#logger, message)
  }

  /** Writes a record, if there is a logger. */
  record(level: keyof Logger, message: string, fields: Record<string, unknown>): void {
    callHook(() => this.#logger && writeLog(this.#logger, level, message, fields))
  }

  /** Calls a hook of the caller, such as `onEvent`. That it threw is written at most once a minute for each hook. */
  callHook(what: string, hook: () => unknown): void {
    callHook(hook, (error) => this.hookThrew({ what, error }))
  }

  /** Writes that a hook of the caller threw. */
  hookThrew(failure: Failure): void {
    this.#writeOnce('error', `${failure.what} threw`, failure, failure.what)
  }

  #callOnError({ error }: Failure, context: object): void {
    this.callHook('onError', () => this.#onError?.(error, context))
  }

  #writeOnce(level: 'error' | 'warn', message: string, failure: Failure, reason: string): void {
    const now = this.#timing.now()
    const key = this.#written.has(reason) || this.#written.size < maxReasons ? reason : ''
    const last = this.#written.get(key)
    if (last && now - last.at < quietMs) {
      last.suppressed++
      return
    }
    this.#written.set(key, { at: now, suppressed: 0 })
    this.#write(level, message, failure, last?.suppressed)
  }

  #write(level: 'error' | 'warn', message: string, failure: Failure, suppressed = 0): void {
    // A logger may throw.
    callHook(() => {
      const more = suppressed > 0 ? ` (and ${suppressed} more since the last message)` : ''
      const { error } = failure
      const line = `${message}${more}: ${describe(error, this.#detail)}`
      // Where a request was rejected is the same place each time.
      const frames = level === 'error' ? framesOf(error) : []
      const { name, ...codes } = factsOf(error)
      const fields = {
        error: name,
        ...codes,
        ...(suppressed > 0 && { suppressed }),
        ...(frames.length > 0 && { stack: frames.join('\n') }),
      }
      return this.#logger
        ? writeLog(this.#logger, level, line, fields)
        : console.error([`identity-service-sdk: ${line}`, ...frames].join('\n'))
    })
  }
}

interface ErrorLike {
  readonly message?: unknown
  readonly stack?: unknown
  readonly code?: unknown
  readonly reason?: unknown
  readonly cause?: unknown
}

/** The class and the code of an error, and the reason of one of this package. */
function factsOf(thrown: unknown): { name: string; code?: string; reason?: string } {
  if (!hasBrand(thrown)) return factsOfThrown(thrown)
  const { name, code, reason } = thrown as { name: string; code: string; reason?: string }
  return { name, code, ...(reason !== undefined && { reason }) }
}

function summaryOf(thrown: unknown): string {
  const { name, ...codes } = factsOf(thrown)
  const list = Object.values(codes).join(', ')
  return list === '' ? name : `${name} (${list})`
}

const messageHidden = 'its message is hidden: to see it, set SVC_ERROR_DETAIL=full'

function describe(thrown: unknown, detail: ErrorDetail): string {
  const { message, cause }: ErrorLike = Object(thrown)
  const isShown = detail === 'full' || hasBrand(thrown)
  const text = typeof message !== 'string' ? '' : isShown ? `: ${message}` : ` (${messageHidden})`
  return `${summaryOf(thrown)}${text}${cause === undefined ? '' : ` [cause: ${summaryOf(cause)}]`}`
}

/** The calls in the stack of an error, each with a line and a column. Its first lines are the message. */
function framesOf(thrown: unknown): string[] {
  const { message, stack }: ErrorLike = Object(thrown)
  const lines = String(stack).replace(String(message), '').split('\n')
  return lines.filter((line) => /^\s+at .{1,500}:\d+:\d+\)?$/.test(line))
}
