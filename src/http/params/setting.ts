import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment } from '../../runtime/environment.ts'

/**
 * Returns an option, or else its environment variable. Its form is not checked.
 *
 * @param form what the value is, as the end of a sentence, if its name does not say it
 * @throws {ConfigurationError} both are missing
 */
export function readSetting<T>(
  option: string,
  variable: string,
  given: T | undefined,
  form = '',
): T | string {
  const value = given ?? environment(variable)
  if (value !== undefined) return value
  throw new ConfigurationError({ message: `${option} is missing: pass it, or set ${variable}${form}` })
}
