import { returnParameters, type SessionStatus } from '../contract/verification/sessions.ts'

/** What the browser brought back. */
export interface ReturnUrl {
  /** `null` where the address has none. */
  readonly sessionId: string | null
  /** What the page says the status is. Anybody can type that: read the decision before acting on it. */
  readonly statusHint: SessionStatus | null
}

/**
 * Reads the address at which a person came back. It is a hint, never an outcome. A `redirect_url` that had a
 * query of its own is read too, also where the service's part was put behind a second `?`.
 *
 * @param url absolute, or the path and query of a request
 * @see service contract, section 2.2
 *
 * @example
 * const { sessionId } = parseReturnUrl(req.url)
 * if (sessionId) await client.sessions.decision(sessionId)
 */
export function parseReturnUrl(url: string | URL): ReturnUrl {
  const [address = ''] = String(url).split('#')
  const query = address.slice(address.indexOf('?') + 1)
  // The service's own part comes last: of repeated parameters the last counts.
  const parameters = new URLSearchParams(address.includes('?') ? query.replaceAll('?', '&') : '')
  const last = (name: string) => parameters.getAll(name).at(-1) || null
  return { sessionId: last(returnParameters.sessionId), statusHint: last(returnParameters.status) }
}
