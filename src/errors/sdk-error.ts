/** Marks the errors of every copy of the package. */
const brand: unique symbol = Symbol.for('identity-service-sdk.error')

/** Returns whether a value is an error of any copy of the package. */
export function hasBrand(value: unknown): boolean {
  try {
    return typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true
  } catch {
    // A proxy of other code threw.
    return false
  }
}

/**
 * Adds members that can be read and are never printed: `JSON.stringify` and `util.inspect` pass over properties that are
 * not enumerable, and if asked for those too, `inspect` shows a getter as `[Getter]`. A function is called when its
 * member is read.
 */
export function addUnprinted<Own extends SdkError, Name extends keyof Own>(
  error: Own,
  members: { readonly [Key in Name]: Own[Key] | (() => Own[Key]) },
): void {
  for (const [name, member] of Object.entries(members))
    Object.defineProperty(error, name, { get: typeof member === 'function' ? () => member() : () => member })
}

/** The facts that an error is constructed from. */
export interface ErrorFacts {
  /** What is wrong, and what to do next. */
  readonly message: string
  /** The failure that led to this one. @default none */
  readonly cause?: unknown
}

/** Members of an error that have a default or may be missing. */
export type OptionalFacts<T, Name extends keyof T> = { readonly [Key in Name]?: T[Key] | undefined }

/**
 * Base class of everything that this package throws on purpose. If two copies of the package may be loaded, use
 * `isSdkError` instead of `instanceof`.
 */
export abstract class SdkError extends Error {
  /** Stable identifier to branch on. Rewording `message` is not a breaking change. Renaming this code is. */
  abstract readonly code: string
  /**
   * The failure that led to this one, if there is one: an error of this package, or the class, the code and the masked
   * message of any other. Only the reason of your own signal is passed on as it is.
   */
  declare readonly cause?: unknown

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? {} : facts)
  }

  // On the prototype, because the stack starts with it and is captured before a constructor could set it.
  /** The name of the class, such as `'ConfigurationError'`. */
  abstract override get name(): string

  /** @internal */
  get [brand](): true {
    return true
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

/** An option or a setting is invalid. Thrown before anything is sent, usually by a constructor. */
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

  constructor(facts: ErrorFacts & OptionalFacts<StoreError, 'mayHaveHappened'>) {
    super(facts)
    this.mayHaveHappened = facts.mayHaveHappened ?? false
  }

  override get name() {
    return 'StoreError' as const
  }
}
