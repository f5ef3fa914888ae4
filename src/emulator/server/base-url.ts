import { ConfigurationError } from '../../errors/sdk-error.ts'

/**
 * Reads where the service is reached: an origin, perhaps with a path before the service's own.
 *
 * @returns it without a trailing slash
 * @throws {ConfigurationError} unless it is an http or https URL without credentials, query or fragment
 */
export function readBaseUrl(name: string, value: string | URL): string {
  const url = URL.canParse(String(value)) ? new URL(value) : undefined
  // Credentials, a query or a fragment make the whole longer than its two parts.
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== url.origin + url.pathname)
    throw new ConfigurationError(
      `${name} must be an http or https URL without credentials, query or fragment`,
    )
  return url.href.replace(/\/+$/, '')
}

/**
 * An address as the service itself knows it: without the path that stands before its own.
 *
 * @returns `undefined` for one that is not below the base URL's path
 */
export function stripBasePath(address: string, baseUrl: string): URL | undefined {
  const { pathname, search } = new URL(address)
  const { origin, pathname: path } = new URL(baseUrl)
  const prefix = path.replace(/\/$/, '')
  return pathname.startsWith(`${prefix}/`)
    ? new URL(origin + pathname.slice(prefix.length) + search)
    : undefined
}
