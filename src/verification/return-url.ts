import type { Id } from '../contract/schema/open-types.ts'
import type { SessionStatus } from '../contract/verification/session-status.ts'
import { returnParameters } from '../contract/verification/sessions.ts'

/** The parameters that the hosted page added to `redirect_url`. */
export interface ReturnUrl {
  /** The session's id. `null` if the URL has none. */
  readonly sessionId: Id<'session'> | null
  /** The status in the URL. Anyone can edit it: read the decision before you act on it. */
  readonly statusHint: SessionStatus | null
}

/**
 * Reads the parameters of the URL at which a person returned. They are a hint, never an outcome.
 *
 * A `redirect_url` with its own query works too, even if the service's parameters follow a second `?`.
 *
 * @param url an absolute URL, or the path and the query of a request
 *
 * @example
 * const { sessionId } = parseReturnUrl(req.url)
 * if (sessionId) await client.sessions.decision(sessionId)
 */
export function parseReturnUrl(url: string | URL): ReturnUrl {
  const [address = ''] = String(url).split('#')
  const query = address.slice(address.indexOf('?') + 1)
  // The last value of a parameter counts, because the service appends its own parameters.
  const parameters = new URLSearchParams(address.includes('?') ? query.replaceAll('?', '&') : '')
  const last = (name: string) => parameters.getAll(name).at(-1) || null
  return {
    sessionId: last(returnParameters.sessionId),
    statusHint: last(returnParameters.status) as SessionStatus | null,
  }
}
