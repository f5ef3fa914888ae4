import { stripBasePath } from './base-url.ts'

/**
 * Returns a request for a path below the base URL with the path that it has at the root. Its host stays, because rules
 * depend on the host that was requested. `undefined` if the request is not below the base URL.
 */
export function withoutPrefix(request: Request, baseUrl: string | undefined): Request | undefined {
  if (baseUrl === undefined) return request
  const stripped = stripBasePath(request.url, baseUrl)
  const url = new URL(request.url)
  if (stripped === undefined) return undefined
  if (stripped.pathname === url.pathname) return request
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
