import {
  authorizeParameters,
  callbackParameters,
  challengeMethod,
  requiredScope,
  responseType,
} from '../../contract/sign-in/oidc.ts'
import type { SignInSettings } from '../options/sign-in-options.ts'
import { serviceError } from '../server/service-error.ts'
import type { AuthorizationRequest } from '../state/sign-ins.ts'

/** Something is wrong, and the application is to hear of it: the browser is sent back with the error. */
interface SentBack {
  readonly location: string
}

/** A challenge is the SHA-256 of something, in base64url (RFC 7636). */
const challengeForm = /^[\w-]{43}$/

/**
 * Reads what an application asks for (contract, section 4.7). What is wrong with the client or with the address
 * to return to is thrown, since nobody may be sent there; the rest is told there (RFC 6749, section 4.1.2.1).
 */
export function readAuthorization(
  { clientId, active, scopes, redirectsTo }: SignInSettings,
  query: URLSearchParams,
): AuthorizationRequest | SentBack {
  const named = only(query, authorizeParameters.clientId)
  const redirectUri = only(query, authorizeParameters.redirectUri)
  if (named === undefined || redirectUri === undefined)
    throw invalidRequest('client_id and redirect_uri are required, once each.')
  if (named !== clientId) throw serviceError('invalid_client', { message: 'client_id: no such application.' })
  if (!active) throw serviceError('unauthorized_client')
  if (!redirectsTo(redirectUri))
    throw serviceError('invalid_redirect_uri', { message: 'redirect_uri is not registered.' })

  const state = only(query, authorizeParameters.state)
  const back = (error: string, message: string): SentBack => ({
    location: callbackAddress(redirectUri, {
      [callbackParameters.error]: error,
      [callbackParameters.errorDescription]: message,
      [callbackParameters.state]: state,
    }),
  })
  const repeated = Object.values(authorizeParameters).find((name) => query.getAll(name).length > 1)
  if (repeated !== undefined) return back('invalid_request', `${repeated} is repeated`)
  if (!state) return back('invalid_request', 'state is required')
  const type = only(query, authorizeParameters.responseType)
  if (!type) return back('invalid_request', 'response_type is required')
  if (type !== responseType) return back('unsupported_response_type', 'only code is supported')

  const asked = [...new Set((only(query, authorizeParameters.scope) ?? '').split(' '))].filter(Boolean)
  if (!asked.includes(requiredScope)) return back('invalid_scope', 'scope must include openid')
  const disabled = asked.find((scope) => !scopes.includes(scope))
  if (disabled !== undefined) return back('invalid_scope', 'a scope is not enabled for this application')

  const challenge = only(query, authorizeParameters.codeChallenge)
  const method = only(query, authorizeParameters.codeChallengeMethod)
  if (challenge === undefined ? method !== undefined : method !== challengeMethod)
    return back('invalid_request', 'code_challenge goes with code_challenge_method S256')
  if (challenge !== undefined && !challengeForm.test(challenge))
    return back('invalid_request', 'code_challenge is no SHA-256 in base64url')
  const nonce = only(query, authorizeParameters.nonce)
  return { clientId, redirectUri, scopes: asked, state, nonce, challenge }
}

/** The value of a parameter that is there once. */
function only(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

const invalidRequest = (message: string) => serviceError('invalid_request', { status: 400, message })

/** Where the browser goes back to: the parameters stand behind whatever query the address has. */
export function callbackAddress(
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri)
  const added = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
  // As text: URLSearchParams would spell the query that is there in its own way.
  url.search = url.search === '' ? added : `${url.search.slice(1)}&${added}`
  return url.href
}
