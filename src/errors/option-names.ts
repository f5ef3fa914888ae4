import { nodeVersionFault } from '../runtime/environment.ts'
import { kindOf } from '../runtime/kind-of.ts'
import { nearestName } from '../runtime/nearest-name.ts'
import type { ErrorDetail } from './error-detail.ts'
import { ConfigurationError } from './sdk-error.ts'

/**
 * The names of options, declared next to their interface: `satisfies OptionNames<ClientOptions>` compiles only if the
 * list is complete. For a union, the names of all its members.
 */
export type OptionNames<Options> = Readonly<
  Record<Options extends unknown ? keyof Options & string : never, true>
>

/** Joins lists of names. Mark a call as pure, so that bundlers drop the lists of what a program does not use. */
export const joinNames = <const A extends object, const B extends object>(a: A, b: B): A & B => ({
  ...a,
  ...b,
})

const printable = /^[\w$.-]{1,64}$/

/** Says that options have a name that is not listed: `timeout is not an option. Did you mean timeoutMs?` */
export interface UnknownOption {
  readonly path: string
  readonly message: string
}

/** Finds names that are not listed. A value is never quoted. */
export function* unknownOptions(
  options: object,
  names: Readonly<Record<string, true>>,
): Generator<UnknownOption> {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(names, name)) continue
    const listed = Object.keys(names)
    const nearest = nearestName(name, listed)
    const advice =
      nearest === undefined ? `The options are ${listed.join(', ')}.` : `Did you mean ${nearest}?`
    yield { path: printable.test(name) ? name : '?', message: `is not an option. ${advice}` }
  }
}

/**
 * Rejects options that are not an object, names that are not listed, and a Node that is too old. Call it first, before an
 * option is read.
 *
 * @param owner what takes the options: a class, a function or a method
 * @throws {ConfigurationError}
 *
 * @example
 * checkOptionNames('redisStore', options, optionNames)
 */
export function checkOptionNames(
  owner: string,
  options: unknown,
  names: Readonly<Record<string, true>>,
): asserts options is object {
  // Here, because everything with options calls this first: on an older Node, any later step may fail.
  checkNode(owner)
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new ConfigurationError({
      message: `${owner}: the options must be an object, not ${kindOf(options)}. The options are ${Object.keys(names).join(', ')}.`,
    })
  }
  const { errorDetail } = options as { readonly errorDetail?: unknown }
  if ('errorDetail' in names && ![undefined, 'full', 'safe'].includes(errorDetail as ErrorDetail))
    throw new ConfigurationError({ message: `${owner}: errorDetail must be 'full' or 'safe'` })
  const unknown = unknownOptions(options, names).next().value
  if (unknown) throw new ConfigurationError({ message: `${owner}: ${unknown.path} ${unknown.message}` })
}

/**
 * Rejects a Node that is too old.
 *
 * @param owner what is called: a class, a function or a method
 * @throws {ConfigurationError}
 */
export function checkNode(owner: string): void {
  if (nodeVersionFault !== undefined)
    throw new ConfigurationError({ message: `${owner}: ${nodeVersionFault}` })
}
