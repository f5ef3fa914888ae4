import { errorClass } from '../runtime/error-class.ts'

/** How many causes of a cause are kept. */
const deepestCause = 2

interface ErrorLike {
  readonly message?: unknown
  readonly code?: unknown
  readonly cause?: unknown
}

/**
 * Rebuilds an error that other code threw, so that it can be the `cause` of one of ours: its class name, its code
 * and a masked message. The original is never passed on, because drivers, parsers and platforms put bodies, addresses,
 * paths and values into their errors.
 *
 * @param mask returns the message without what must not be shown
 */
export function plainCause(
  thrown: unknown,
  mask: (message: string) => string,
  depth = deepestCause,
): unknown {
  if (typeof thrown === 'string') return mask(thrown)
  if (typeof thrown !== 'object' || thrown === null) return undefined
  const { message, code, cause } = thrown as ErrorLike
  if (typeof message !== 'string') return undefined
  const plain = new Error(mask(message))
  const name = errorClass(thrown)
  if (name !== undefined && mask(name) === name)
    Object.defineProperty(plain, 'name', { value: name, configurable: true })
  if (typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code)) Object.assign(plain, { code })
  if (depth > 0 && cause !== undefined) plain.cause = plainCause(cause, mask, depth - 1)
  plain.stack = `${plain.name}: ${plain.message}`
  return plain
}
