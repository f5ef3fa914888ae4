const brand: unique symbol = Symbol.for('identity-service-sdk.error')

/**
 * Root of everything that this package throws on purpose. Where two copies of the package may be loaded,
 * use {@link isSdkError} instead of `instanceof`.
 */
export abstract class SdkError extends Error {
  /** Stable: branch on it. Rewording `message` is no breaking change; renaming this is. */
  abstract readonly code: string

  /** @internal */
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? cause : { cause })
  }

  // On the prototype: the stack begins with it, and is written before a constructor could set it.
  /** Of the class, such as `'ConfigurationError'`. */
  abstract override get name(): string

  /** @internal */
  get [brand](): true {
    return true
  }

  /**
   * What a structured log should hold: the name, the message and the public facts. Never a body or a header.
   *
   * @example
   * console.log(JSON.stringify({ level: 'warn', error }))
   */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...(this as object) }
  }
}

/**
 * Tells whether something thrown comes from this package, also across bundles and realms.
 *
 *
 * @example
 * try {
 *   await client.sessions.retrieve(id)
 * } catch (error) {
 *   if (!isSdkError(error)) throw error
 *   logger.warn({ code: error.code })
 * }
 */
export function isSdkError(error: unknown): error is SdkError {
  return typeof error === 'object' && error !== null && (error as { [brand]?: unknown })[brand] === true
}

/** Options or settings that cannot work. Thrown when something is constructed, before any call. */
export class ConfigurationError extends SdkError {
  readonly code = 'configuration'

  override get name() {
    return 'ConfigurationError' as const
  }
}

/** The shared store failed or could not be reached: the connection, not the data, is the question. */
export class StoreError extends SdkError {
  readonly code = 'store_failed'

  override get name() {
    return 'StoreError' as const
  }
}

/** What a step of a store threw, as one of our errors. A store may be anybody's, and throw anything. */
export const storeError = (message: string, thrown: unknown): SdkError =>
  isSdkError(thrown) ? thrown : new StoreError(message, thrown)
