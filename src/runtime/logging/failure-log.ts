import type { Timing } from '../timing.ts'
import { callHook } from './call-hook.ts'
import { errorClass } from './error-class.ts'
import { type Logger, writeLog, writeNote } from './logger.ts'

export interface FailureLogOptions {
  /** Receives the records. Without it, they are written to `console.error`. */
  readonly logger: Logger | undefined
  /** The caller's own `onError`. If there is one, and no logger, what it gets is not written. */
  readonly onError: unknown
  readonly timing: Pick<Timing, 'now'>
}

type Mask = (text: string) => string

/** What failed, and why. */
export interface Failure {
  /** The subject of the record, such as `the callback for verification.approved`. */
  readonly what: string
  readonly error: unknown
  /**
   * Removes from the message of the error what must not be written. Any other text is left out if the mask would change
   * it.
   */
  readonly mask?: Mask
  /** Whether the message is written. The default is true. */
  readonly hasMessage?: boolean
}

/** Rejections for one reason are written once in this time, because anyone can send requests that are rejected. */
const quietMs = 60_000
/** The service can send any number of error codes. Those beyond this number share one limit. */
const maxReasons = 64

/**
 * Writes the failures of a handler to the caller's logger or to `console.error`, so that none is silent. A record has
 * the class, the code, the message and the stack of the error, and none of its other properties, because they may
 * contain personal data.
 */
export class FailureLog {
  readonly #logger: Logger | undefined
  readonly #isHandled: boolean
  readonly #timing: Pick<Timing, 'now'>
  readonly #written = new Map<string, { readonly at: number; suppressed: number }>()

  constructor({ logger, onError, timing }: FailureLogOptions) {
    this.#logger = logger
    this.#isHandled = onError !== undefined && logger === undefined
    this.#timing = timing
  }

  /** Writes a failure of the caller's code, of a store or of the service, at once. */
  failed(failure: Failure): void {
    if (!this.#isHandled) this.#write('error', `${failure.what} failed`, failure)
  }

  /** Writes that a request was rejected, at most once a minute for each reason. */
  rejected(failure: Failure, reason: string): void {
    if (!this.#isHandled) this.#writeOnce('warn', `${failure.what} was rejected`, failure, reason)
  }

  /** Writes what is unexpected and nevertheless accepted, so that `onError` does not get it. */
  noted(message: string): void {
    writeNote(this.#logger, message)
  }

  /** Writes that a hook of the caller threw, such as `onError` itself, at most once a minute for each hook. */
  hookThrew(failure: Failure): void {
    this.#writeOnce('error', `${failure.what} threw`, failure, failure.what)
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
      const { text, facts, frames: all } = describe(failure)
      const line = `${message}${more}: ${text}`
      // Where a request was rejected is the same place each time.
      const frames = level === 'error' ? all : []
      const fields = {
        ...facts,
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

const isCode = (value: unknown): value is string => typeof value === 'string' && /^\w{1,64}$/.test(value)

/** The class, the code and the reason of an error. The caller's code may have put any value into them. */
function factsOf(thrown: unknown, mask: Mask): { error: string; code?: string; reason?: string } {
  const { code, reason }: ErrorLike = Object(thrown)
  const isPlain = (text: string) => mask(text) === text
  const name = typeof thrown === 'object' && thrown !== null ? errorClass(thrown) : undefined
  return {
    error: name !== undefined && isPlain(name) ? name : typeof thrown,
    ...(isCode(code) && isPlain(code) && { code }),
    ...(isCode(reason) && isPlain(reason) && { reason }),
  }
}

function summaryOf(thrown: unknown, mask: Mask): string {
  const { error, ...codes } = factsOf(thrown, mask)
  const list = Object.values(codes).join(', ')
  return list === '' ? error : `${error} (${list})`
}

interface Description {
  readonly text: string
  readonly facts: { readonly error: string; readonly code?: string; readonly reason?: string }
  readonly frames: readonly string[]
}

function describe({ error, mask = (text) => text, hasMessage = true }: Failure): Description {
  try {
    return { text: textOf(error, mask, hasMessage), facts: factsOf(error, mask), frames: framesOf(error) }
  } catch {
    // Its getters threw, or it is a proxy.
    return { text: 'an error that cannot be read', facts: { error: typeof error }, frames: [] }
  }
}

/** Describes an error without properties other than these, because they may contain personal data. */
function textOf(thrown: unknown, mask: Mask, hasMessage: boolean): string {
  const { message, cause }: ErrorLike = Object(thrown)
  const shown = hasMessage && typeof message === 'string' ? mask(message) : ''
  const detail = shown === '' ? '' : `: ${shown}`
  const summary = summaryOf(thrown, mask)
  return `${summary}${detail}${cause === undefined ? '' : ` [cause: ${summaryOf(cause, mask)}]`}`
}

/** The calls in the stack of an error, each with a line and a column. Its first lines are the message. */
function framesOf(thrown: unknown): string[] {
  const { message, stack }: ErrorLike = Object(thrown)
  const lines = String(stack).replace(String(message), '').split('\n')
  return lines.filter((line) => /^\s+at .{1,500}:\d+:\d+\)?$/.test(line))
}
