import { type ErrorDetail, factsOfThrown, howToSee, showsAll } from './error-detail.ts'

/** The codes of the package's own errors, declared here and by the class of each. The service uses none of them. */
export const sdkErrorCodes = [
  'aborted',
  'callback_refused',
  'check_not_passed',
  'configuration',
  'connection_failed',
  'emulator_misused',
  'image_read_failed',
  'invalid_params',
  'invalid_response',
  'not_verified',
  'outcome_unknown',
  'session_ended',
  'spend_limit',
  'store_failed',
  'timeout',
  'token_manager',
  'token_refused',
  'verification_limit',
  'wait_timeout',
  'webhook_refused',
] as const

/**
 * Every `code` of the package's own errors. The service uses none of them.
 *
 * @useDeclaredType
 */
export type SdkErrorCode = (typeof sdkErrorCodes)[number]

/** Marks the errors of every copy of the package. */
const brand: unique symbol = Symbol.for('identity-service-sdk.error')

/** Returns whether a value is an error of any copy of the package. */
export const hasBrand = (value: unknown): boolean => (Object(value) as { [brand]?: unknown })[brand] === true

/**
 * Adds members that can be read and are never printed: `JSON.stringify` and `util.inspect` pass over properties that
 * are not enumerable, and if asked for those too, `inspect` shows a getter as `[Getter]`.
 */
export function addUnprinted<Own extends SdkError, Name extends keyof Own>(
  error: Own,
  getters: { readonly [Key in Name]: () => Own[Key] },
): void {
  for (const [name, get] of Object.entries(getters) as [string, () => unknown][])
    Object.defineProperty(error, name, { get })
}

/** The facts that an error is constructed from. */
export interface ErrorFacts {
  /** What is wrong, and what to do next. */
  readonly message: string
  /** The failure that led to this one: an error of this package, or what other code threw. @default none */
  readonly cause?: unknown
  /**
   * Whether `cause` is what other code threw itself, or only its class and its code.
   *
   * @default as `SVC_ERROR_DETAIL` says
   */
  readonly errorDetail?: ErrorDetail | undefined
}

/** Members of an error that have a default or may be missing. */
export type OptionalFacts<T, Name extends keyof T> = { readonly [Key in Name]?: T[Key] | undefined }

/**
 * Base class of everything that this package throws on purpose. `instanceof` also recognizes the errors of another copy of
 * the package, as bundlers make one for a part of an app.
 */
export abstract class SdkError extends Error {
  /** Stable identifier to branch on. Rewording `message` is not a breaking change. Renaming this code is. */
  abstract readonly code: string
  /**
   * The failure that led to this one, if there is one: an error of this package, or the class and the code of what
   * other code threw. With `errorDetail: 'full'`, what it threw itself.
   */
  declare readonly cause?: unknown
  /** The value that a driver, the platform or your own callback threw. It can be read and is never printed. */
  declare readonly original?: unknown
  /** Identifies the request in the service's logs. Only errors that come from a response may have it. */
  declare readonly requestId?: string
  /** True if the same call can succeed later without any change. Only service errors have it. */
  declare readonly retryable?: boolean
  /** When to call again, in milliseconds. Only service errors and limits may have it. */
  declare readonly retryAfterMs?: number

  constructor(facts: ErrorFacts) {
    const { message, cause, errorDetail } = facts
    const isOurs = cause === undefined || hasBrand(cause)
    const isShown = isOurs || showsAll(errorDetail)
    super(message, cause === undefined ? {} : { cause: isShown ? cause : shownCause(cause) })
    if (!isOurs) addUnprinted(this, { original: () => cause })
  }

  // On the prototype, because the stack starts with it and is captured before a constructor could set it.
  /** The name of the class, such as `'ConfigurationError'`. */
  abstract override get name(): string

  /** @internal */
  get [brand](): true {
    return true
  }

  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: each class inherits it
    return isInstance(this, value)
  }

  /**
   * Returns what a structured log should contain: the name, the message and the public facts. Never a body or a header.
   *
   * @example
   * console.log(JSON.stringify({ level: 'warn', error }))
   */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...(this as object) }
  }
}

/** Whether a value is an error of a class. One of another copy is compared by name, because a bundler renames classes. */
function isInstance(type: typeof SdkError, value: unknown): boolean {
  const isOf = (one: typeof SdkError) => Function.prototype[Symbol.hasInstance].call(one, value)
  if (isOf(SdkError) || !hasBrand(value)) return isOf(type)
  if (type === SdkError) return true
  // A class without a name of its own, such as one of the application, is that of no other copy.
  if (!Object.hasOwn(type.prototype, 'name')) return false
  for (let found = Object.getPrototypeOf(value); hasBrand(found); found = Object.getPrototypeOf(found))
    if (Object.hasOwn(found, 'name') && Reflect.get(found, 'name', value) === type.prototype.name) return true
  return false
}

/** How many causes of a cause are shown. */
const deepestCause = 2

/** Returns the class and the code of a thrown value as an error, without a word that other code wrote. */
function shownCause(thrown: unknown, depth = 0): unknown {
  if (hasBrand(thrown)) return thrown
  const { name, code } = factsOfThrown(thrown)
  const shown = new Error(code ?? `hidden: ${howToSee('original')}`)
  if (name !== 'Error') Object.defineProperty(shown, 'name', { value: name, configurable: true })
  shown.stack = String(shown)
  if (code !== undefined) Object.assign(shown, { code })
  const { cause } = Object(thrown) as { readonly cause?: unknown }
  if (cause !== undefined && depth < deepestCause) shown.cause = shownCause(cause, depth + 1)
  return shown
}

/**
 * An option or a setting is invalid. Thrown before anything is sent, usually by a constructor. Only a `fetch` of yours
 * that returns something other than a response is noticed after it was called.
 */
export class ConfigurationError extends SdkError {
  readonly code = 'configuration'

  override get name() {
    return 'ConfigurationError' as const
  }
}

/** A store failed, could not be reached, or did not respond in time. */
export class StoreError extends SdkError {
  readonly code = 'store_failed'
  /**
   * Whether the operation may have taken effect, or may still do so: true if a write was passed to the driver and no
   * result came back. False for reads, and for writes that were rejected before.
   */
  readonly mayHaveHappened: boolean
  /** The operation that needed the store, such as `verifications.start`. Missing if you called the store yourself. */
  declare readonly operation?: string

  constructor(facts: ErrorFacts & OptionalFacts<StoreError, 'mayHaveHappened' | 'operation'>) {
    super(facts)
    this.mayHaveHappened = facts.mayHaveHappened ?? false
    if (facts.operation !== undefined) this.operation = facts.operation
  }

  override get name() {
    return 'StoreError' as const
  }
}

/**
 * Adds the code that waits for the operation to the stack of an error. V8 keeps ten frames, and those of a failed request
 * are all of this package.
 */
export function withCaller<E>(error: E): E {
  // A hook may have frozen it.
  if (!(error instanceof SdkError && Object.isExtensible(error))) return error
  const here: { stack?: unknown } = {}
  try {
    Error.captureStackTrace?.(here, withCaller)
    // Here `Error.prepareStackTrace` of the application runs. It may throw, or return something other than text.
    if (typeof here.stack !== 'string' || typeof error.stack !== 'string') return error
  } catch {
    return error
  }
  const known = error.stack.replaceAll('at async ', 'at ')
  // The first line is the name of the error. The second is the function that called this one.
  const added = here.stack
    .split('\n')
    .slice(2)
    .filter((frame) => !frame.includes('node:internal') && !known.includes(frame.replace('at async ', 'at ')))
  if (added.length > 0) error.stack = [error.stack, ...added].join('\n')
  return error
}

/** Thrown by a check that several operations share. It becomes an error where the name of the operation is known. */
export class Rejection {
  /** Creates the error. Its message starts with the operation. */
  readonly errorOf: (operation: string) => SdkError

  constructor(errorOf: (operation: string) => SdkError) {
    this.errorOf = errorOf
  }
}

/** Returns the error of an operation for what its checks threw. */
export const errorIn = (operation: string, thrown: unknown): unknown =>
  thrown instanceof Rejection ? thrown.errorOf(operation) : thrown

/** Runs checks for an operation. What they throw becomes its error. */
export async function inCall<T>(operation: string, check: () => T): Promise<Awaited<T>> {
  try {
    return await check()
  } catch (thrown) {
    throw errorIn(operation, thrown)
  }
}

/** Names the operation in which a store failed. It is a new error, because several operations may wait for one failure. */
export function inOperation(error: unknown, operation: string): unknown {
  if (!(error instanceof StoreError) || error.operation !== undefined) return error
  const { message, cause, original = cause, mayHaveHappened } = error
  return new StoreError({
    message: `${operation}: ${message}`,
    operation,
    mayHaveHappened,
    cause: original,
    errorDetail: cause === original ? 'full' : 'safe',
  })
}

/** A control of the emulator was called with something that is not possible, such as the id of an unknown session. */
export class EmulatorError extends SdkError {
  readonly code = 'emulator_misused'

  override get name() {
    return 'EmulatorError' as const
  }
}
