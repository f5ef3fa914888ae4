// Signs people in by hand, with an own session: login, callback, API.

import {
  type AuthorizationRequest,
  CallbackError,
  type IdTokenClaims,
  isErrorCode,
  OidcClient,
  TokenValidationError,
} from 'identity-service-sdk'

interface User {
  id: string
  memberId: string | undefined
}

const oidc = new OidcClient({
  redirectUri: 'https://app.example.com/callback',
  scope: ['openid', 'profile'],
})
const pending = new Map<string, AuthorizationRequest>()

export async function login(browser: string): Promise<Response> {
  const authorization = await oidc.createAuthorization()
  pending.set(browser, authorization)
  return Response.redirect(authorization.url, 302)
}

export async function callback(browser: string, request: Request): Promise<User | Response> {
  const started = pending.get(browser)
  if (started === undefined) return new Response('Sign in again', { status: 400 })
  try {
    const { claims, id_token, access_token, expiresAtSeconds } = await oidc.handleCallback(request, started)
    console.log(id_token.length, access_token.length, new Date(expiresAtSeconds * 1000))
    return userOf(claims)
  } catch (error) {
    if (error instanceof CallbackError) return new Response(error.reason, { status: error.status })
    if (error instanceof TokenValidationError) return new Response(error.reason, { status: 401 })
    if (isErrorCode(error, 'invalid_grant')) return new Response('Sign in again', { status: 400 })
    throw error
  } finally {
    pending.delete(browser)
  }
}

const userOf = ({ sub, svc_org_member_id }: IdTokenClaims): User => ({
  id: sub,
  memberId: svc_org_member_id ?? undefined,
})

export async function apiUser(request: Request): Promise<string | undefined> {
  const [scheme, token] = request.headers.get('authorization')?.split(' ') ?? []
  if (scheme !== 'Bearer' || token === undefined) return undefined
  const { sub } = await oidc.validateAccessToken(token, { scope: 'profile' })
  return sub
}
