import { ConfigurationError } from './sdk-error.ts'

/**
 * Rejects an option that is not an object with certain methods, such as a store or a client.
 *
 * @param owner what takes the option: a class or a function
 * @param what what to pass, such as `an OidcClient`
 * @throws {ConfigurationError}
 *
 * @example
 * checkMethods('createTokenManager', 'oidc', oidc, ['refresh'], 'an OidcClient')
 */
export function checkMethods<Option>(
  owner: string,
  name: string,
  option: Option | null | undefined,
  methods: readonly (keyof Option & string)[],
  what: string,
): void {
  if (option === undefined || option === null)
    throw new ConfigurationError({ message: `${owner}: ${name} is missing: pass ${what}` })
  const missing = methods.find((method) => typeof option[method] !== 'function')
  if (missing === undefined) return
  throw new ConfigurationError({ message: `${owner}: ${name} must be ${what}: it has no method ${missing}` })
}
