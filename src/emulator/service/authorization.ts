import {
  authorizeParameters,
  callbackParameters,
  challengeMethod,
  requiredScope,
  responseType,
} from '../../contract/sign-in/oidc.ts'
import { appendQuery } from '../model/addresses.ts'
import type { EmulatorSettings } from '../model/options/options.ts'
import type { Readings } from '../model/options/readings.ts'
import type { EmulatorUser } from '../model/options/sign-in-options.ts'
import { redirectsTo } from '../model/options/sign-in-options.ts'
import { type ServiceError, serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import type { ConsentRequest } from '../model/sign-in/sign-ins.ts'

/** An invalid request whose error is sent to the application's redirect URI. */
interface ErrorRedirect {
  readonly location: string
}

/** A SHA-256 in base64url (RFC 7636). */
const challengePattern = /^[\w-]{43}$/

/**
 * Validates an authorization request (contract, section 4.7). Throws a `ServiceError` if the client or the redirect URI
 * is wrong, because the browser must not be redirected then. Any other error is returned as a redirect to the
 * application (RFC 6749, section 4.1.2.1).
 */
export function readAuthorization(
  { oidc, readings }: Pick<EmulatorSettings, 'oidc' | 'readings'>,
  query: URLSearchParams,
): ConsentRequest | ErrorRedirect {
  const { clientId, active, scopes } = oidc
  const requestedClient = singleValue(query, authorizeParameters.clientId)
  const redirectUri = singleValue(query, authorizeParameters.redirectUri)
  if (requestedClient === undefined || redirectUri === undefined)
    throw invalidRequest('client_id and redirect_uri are required, once each.')
  if (requestedClient !== clientId)
    throw serviceError('invalid_client', { message: 'client_id: the application does not exist.' })
  if (!active) throw inactiveAppError(readings)
  if (!redirectsTo(oidc, redirectUri))
    throw serviceError('invalid_redirect_uri', {
      message: `redirect_uri is not registered. The emulator accepts ${
        oidc.redirectUris?.join(', ') ?? 'addresses of this machine'
      } (oidc.redirectUris, --redirect-uri).`,
    })

  const state = singleValue(query, authorizeParameters.state)
  const errorRedirect = (error: string, message: string): ErrorRedirect => ({
    location: appendQuery(redirectUri, {
      [callbackParameters.error]: error,
      [callbackParameters.errorDescription]: message,
      [callbackParameters.state]: state,
    }),
  })
  const duplicate = Object.values(authorizeParameters).find((name) => query.getAll(name).length > 1)
  if (duplicate !== undefined) return errorRedirect('invalid_request', `${duplicate} occurs more than once`)
  if (!state) return errorRedirect('invalid_request', 'state is required')
  const type = singleValue(query, authorizeParameters.responseType)
  if (!type) return errorRedirect('invalid_request', 'response_type is required')
  if (type !== responseType) return errorRedirect('unsupported_response_type', 'only code is supported')

  const requestedScopes = [...new Set((singleValue(query, authorizeParameters.scope) ?? '').split(' '))].filter(Boolean)
  if (!requestedScopes.includes(requiredScope)) return errorRedirect('invalid_scope', 'scope must include openid')
  const disabled = requestedScopes.find((scope) => !scopes.includes(scope))
  if (disabled !== undefined) return errorRedirect('invalid_scope', 'a scope is not enabled for this application')

  const challenge = singleValue(query, authorizeParameters.codeChallenge)
  const method = singleValue(query, authorizeParameters.codeChallengeMethod)
  if (challenge === undefined ? method !== undefined : method !== challengeMethod)
    return errorRedirect('invalid_request', 'code_challenge and code_challenge_method S256 must be sent together')
  if (challenge !== undefined && !challengePattern.test(challenge))
    return errorRedirect('invalid_request', 'code_challenge is not a SHA-256 in base64url')
  const nonce = singleValue(query, authorizeParameters.nonce)
  return { clientId, redirectUri, scopes: requestedScopes, state, nonce, challenge }
}

/**
 * Creates the error for requests of an inactive application. The catalog lists two codes for it (contract, section 7).
 */
export const inactiveAppError = ({ inactiveApp }: Readings): ServiceError =>
  serviceError(inactiveApp === 403 ? 'unauthorized_client' : 'invalid_client')

/** Returns the value of a parameter, or `undefined` unless it occurs exactly once. */
function singleValue(query: URLSearchParams, name: string): string | undefined {
  const values = query.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

const invalidRequest = (message: string) => serviceError('invalid_request', { status: 400, message })

/** Issues a code to the person. Returns the callback address that their browser goes to. */
export function approveAuthorization(
  { signIns }: ServiceState,
  authorization: ConsentRequest,
  user: EmulatorUser,
): string {
  const code = signIns.issueCode(authorization, user)
  return appendQuery(authorization.redirectUri, {
    [callbackParameters.code]: code,
    [callbackParameters.state]: authorization.state,
  })
}

/** Returns the callback address that the browser of a person who declines goes to. */
export const denyAuthorization = ({ redirectUri, state }: ConsentRequest): string =>
  appendQuery(redirectUri, {
    [callbackParameters.error]: 'access_denied',
    [callbackParameters.errorDescription]: 'the user declined',
    [callbackParameters.state]: state,
  })
