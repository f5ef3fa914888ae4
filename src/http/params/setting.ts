import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment } from '../../runtime/environment.ts'

/**
 * Returns an option, or else its environment variable. Its form is not checked.
 *
 * @param owner what takes the option: a class or a function
 * @param form what the value is, as the end of a sentence, if its name does not say it
 * @throws {ConfigurationError} both are missing
 */
export function readSetting<T>(
  owner: string,
  option: string,
  variable: string,
  given: T | undefined,
  form = '',
): T | string {
  const value = given ?? environment(variable)
  if (value !== undefined) return value
  throw new ConfigurationError({
    message: `${owner}: ${option} is missing: pass it, or set ${variable}${form}`,
  })
}
