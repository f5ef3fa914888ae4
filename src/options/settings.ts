import { interfacePaths } from '../contract/service.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { environment } from '../runtime/environment.ts'
import { isSecureUrl } from '../runtime/secure-url.ts'

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
  ofOption: T | undefined,
  form = '',
): T | string {
  const value = ofOption ?? environment(variable)
  if (value !== undefined) return value
  throw new ConfigurationError({
    message: `${owner}: ${option} is missing: pass it, or set ${variable}${form}`,
  })
}

/** The parts of a base URL. Requests go to `origin`, and their paths start with `prefix`. */
export interface BaseUrl {
  readonly origin: string
  /** Without a trailing slash. Empty if the base URL has no path. */
  readonly prefix: string
}

/**
 * Parses a base URL.
 *
 * @param name what a message calls the value, such as `OrgClient: baseUrl`
 * @throws {ConfigurationError} unless it is `https`, or `http` to a loopback host or to `SVC_EMULATOR_HOST`, without
 *   credentials, query, fragment and the path of an interface
 */
export function parseBaseUrl(name: string, value: string | URL): BaseUrl {
  if (!URL.canParse(String(value))) {
    const quotes = /^["'`]/.test(String(value)) ? ', without quotation marks around it' : ''
    throw new ConfigurationError({
      message: `${name} must be an absolute URL, such as https://id.example.com${quotes}`,
    })
  }
  const url = new URL(value)
  if (!isSecureUrl(url))
    throw new ConfigurationError({
      message: `${name} must be https (http is for loopback hosts and SVC_EMULATOR_HOST)`,
    })
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError({ message: `${name} must not contain credentials` })
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigurationError({ message: `${name} must not have a query or a fragment` })
  }
  // The path of an interface is added to each request, so one that was copied with the address would be there twice.
  const { origin } = url
  const prefix = url.pathname.replace(/(?<!\/)\/+$/, '')
  const added = Object.values(interfacePaths).find((path) => prefix.endsWith(path))
  if (added !== undefined) {
    throw new ConfigurationError({
      message: `${name} must not end with ${added}, because the client adds this path: use ${origin}${prefix.slice(0, -added.length)}`,
    })
  }
  return { origin, prefix }
}
