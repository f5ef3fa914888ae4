import { ConfigurationError } from '../../errors/sdk-error.ts'
import { type AnyRules, checkOptions } from '../../options/rules.ts'
import type { ClientOptions } from './options.ts'

type PoolOption = 'baseUrl' | 'fetch' | 'dispatcher' | 'connections' | 'http2'

const poolOptions: readonly PoolOption[] = ['baseUrl', 'fetch', 'dispatcher', 'connections', 'http2']

/**
 * Options for `withOptions`: those of the client, without `Shared` and the options of its connection pool, which the
 * clients share.
 */
export type OptionChanges<Options, Shared extends keyof Options = never> = Omit<Options, PoolOption | Shared> & {
  readonly [Name in PoolOption | Shared]?: undefined
}

/**
 * Returns the options of a client that another one derives from itself. What is undefined in the changes stays.
 *
 * @throws {ConfigurationError} a change of an option that the clients share, or of one that does not exist
 */
export function changedOptions<Options extends ClientOptions>(
  options: Options,
  changes: object,
  rules: AnyRules,
  shared?: string,
): Options {
  const changed = Object.entries(Object(changes)).filter(([, value]) => value !== undefined)
  const fixed = changed.find(([name]) => name === shared || poolOptions.some((one) => one === name))
  if (fixed) {
    throw new ConfigurationError({
      message: `withOptions: ${fixed[0]} cannot be changed, because the clients share it. Create another client instead.`,
    })
  }
  checkOptions('withOptions', changes, rules)
  return { ...options, ...Object.fromEntries(changed) }
}
