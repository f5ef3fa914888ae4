import { ConfigurationError } from '../../errors/sdk-error.ts'
import { isLoopback } from '../../runtime/loopback.ts'

/** A base URL taken apart: requests go to `origin`, their paths start with `prefix`. */
export interface BaseUrl {
  readonly origin: string
  /** Without a trailing slash; empty for a base URL without a path. */
  readonly prefix: string
}

/** Whether nobody on the way reads what is sent there: `https`, or a loopback host. */
export const isSecureUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname))

/**
 * Reads a base URL.
 *
 * @throws {ConfigurationError} unless it is `https`, or `http` to a loopback host, without credentials, query
 *   or fragment
 */
export function parseBaseUrl(value: string | URL | undefined, variable: string): BaseUrl {
  if (value === undefined || value === '') {
    throw new ConfigurationError(`baseUrl is missing: pass it, or set ${variable}`)
  }
  if (!URL.canParse(String(value))) throw new ConfigurationError('baseUrl must be an absolute URL')
  const url = new URL(value)
  if (!isSecureUrl(url))
    throw new ConfigurationError('baseUrl must be https (http is for loopback hosts only)')
  if (url.username !== '' || url.password !== '') {
    throw new ConfigurationError('baseUrl must not hold credentials')
  }
  if (url.search !== '' || url.hash !== '') {
    throw new ConfigurationError('baseUrl must not have a query or a fragment')
  }
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}
