import { ConfigurationError } from '../../errors/sdk-error.ts'
import { urlOf } from '../model/request.ts'

/**
 * Validates the address of the service: an origin, optionally with a path.
 *
 * @returns the URL without a trailing slash
 * @throws {ConfigurationError} unless it is an http or https URL without credentials, query or fragment
 */
export function readBaseUrl(name: string, value: string | URL): string {
  const url = URL.canParse(String(value)) ? new URL(value) : undefined
  // With credentials, a query or a fragment, the whole URL is longer than its origin and path.
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.href !== url.origin + url.pathname)
    throw new ConfigurationError({
      message: `${name} must be an http or https URL without credentials, query or fragment`,
    })
  return url.href.replace(/(?<!\/)\/+$/, '')
}

/**
 * Validates a path below which the emulator is mounted.
 *
 * @returns the path without a trailing slash
 * @throws {ConfigurationError} unless it starts with a slash, and has no query and no fragment
 */
export function readMountPath(path: string): string {
  const { pathname } = new URL(readBaseUrl('emulator.mount: an origin with the path', `http://localhost${path}`))
  if (!path.startsWith('/'))
    throw new ConfigurationError({
      message: `emulator.mount: the path must start with a slash, such as /identity`,
    })
  return pathname.replace(/\/$/, '')
}

/**
 * Removes the path of the base URL from an address, so that a path of the contract remains.
 *
 * @returns `undefined` if the address is not below the base URL's path
 */
export function stripBasePath(address: URL, baseUrl: string): URL | undefined {
  const { pathname, search } = address
  const { origin, pathname: path } = new URL(baseUrl)
  const prefix = path.replace(/\/$/, '')
  if (prefix === '' && origin === address.origin) return address
  return pathname.startsWith(`${prefix}/`) ? new URL(origin + pathname.slice(prefix.length) + search) : undefined
}

/**
 * Returns a request for a path below the base URL with the path that it has at the root. Its host stays, because rules
 * depend on the host that was requested. `undefined` if the request is not below the base URL.
 */
export function withoutPrefix(request: Request, baseUrl: string | undefined): Request | undefined {
  if (baseUrl === undefined) return request
  const asked = urlOf(request)
  const stripped = stripBasePath(asked, baseUrl)
  if (stripped === undefined) return undefined
  if (stripped.pathname === asked.pathname) return request
  const url = new URL(asked)
  url.pathname = stripped.pathname
  const { method, headers, body, signal } = request
  return new Request(url, { method, headers, signal, ...(body && { body, duplex: 'half' }) })
}

/** Adds the path of the base URL to the addresses of a page whose links start at the root. */
export async function withPrefix(response: Response, baseUrl: string | undefined): Promise<Response> {
  const prefix = baseUrl === undefined ? '' : new URL(baseUrl).pathname.replace(/\/$/, '')
  if (prefix === '') return response
  const { status, headers } = response
  const location = headers.get('location')
  if (location?.startsWith('/')) headers.set('location', prefix + location)
  if (!headers.get('content-type')?.startsWith('text/html')) return response
  // In texts, quotes are escaped, so that this is the beginning of an attribute.
  return new Response((await response.text()).replaceAll('="/', `="${prefix}/`), { status, headers })
}
