import type { EmulatorRequest } from '../server/request.ts'

/**
 * Whether a browser says that a request was made by another site. Any page of the web could otherwise post forms to
 * a developer's own machine. What is no browser says nothing, and is no danger.
 */
export function isFromElsewhere({ headers, url }: EmulatorRequest): boolean {
  const site = headers.get('sec-fetch-site')
  // `none`: the person asked for it, by a reload for instance.
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  if (origin === null || origin === url.origin) return false
  // Behind a proxy that ends TLS, the server is reached under its own name too; which names those are, it has checked.
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
}
