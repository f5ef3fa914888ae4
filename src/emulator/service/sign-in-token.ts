import {
  accessTokenSeconds,
  exchangeCode,
  grantTypes,
  memberIdClaim,
  refreshTokens,
  type TokenResponse,
} from '../../contract/sign-in/oidc.ts'
import { decodeUtf8, encodeUtf8, parseJson } from '../../runtime/bytes.ts'
import type { EmulatorRequest } from '../model/request.ts'
import type { RequestDraft } from '../model/request-log.ts'
import { errorResponse } from '../model/response.ts'
import { ServiceError, serviceError } from '../model/service-error.ts'
import type { ServiceState } from '../model/service-state.ts'
import type { Login } from '../model/sign-in/sign-ins.ts'
import { inactiveAppError } from './authorization.ts'

type FormFields = Readonly<Record<string, string | undefined>>

const headers = { 'cache-control': 'no-store' }

const invalidRequest = (message: string) => serviceError('invalid_request', { status: 400, message })

/**
 * Serves the token endpoint, which both grants share. Its tokens have no envelope (contract, section 2.8). The contract
 * does not say whether its errors have one.
 */
export async function handleTokenRequest(
  state: ServiceState,
  request: EmulatorRequest,
  record: RequestDraft,
): Promise<Response> {
  try {
    const fields = readFields(request)
    const endpoint = fields.grant_type === grantTypes.refresh ? refreshTokens : exchangeCode
    record.operation = endpoint.operation
    const tokens = await state.faults.around(endpoint, request, () => grant(state, fields, request.baseUrl))
    return Response.json(tokens, { headers })
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return state.settings.readings.tokenErrors === 'bare' ? bareError(error) : envelopedError(error)
  }
}

const bareError = ({ facts: { status, code, message, headers: more } }: ServiceError) =>
  Response.json({ error: code, error_description: message }, { status, headers: { ...headers, ...more } })

function envelopedError(error: ServiceError): Response {
  const { status, body, headers: more } = errorResponse(error)
  return new Response(body, { status, headers: { ...headers, ...more } })
}

async function grant(state: ServiceState, fields: FormFields, issuer: string): Promise<TokenResponse> {
  const { oidc, readings } = state.settings
  if (fields.client_id !== oidc.clientId || fields.client_secret !== oidc.clientSecret)
    throw serviceError('invalid_client')
  if (!oidc.active) throw inactiveAppError(readings)
  switch (fields.grant_type) {
    case undefined:
      throw invalidRequest('grant_type: is required')
    case grantTypes.code: {
      const challenge = fields.code_verifier === undefined ? undefined : await digest(fields.code_verifier)
      const redirectUri = required(fields, 'redirect_uri')
      const presented = { clientId: oidc.clientId, redirectUri, challenge }
      const { login, nonce } = state.signIns.redeem(required(fields, 'code'), presented)
      return issue(state, login, { issuer, nonce })
    }
    case grantTypes.refresh: {
      const login = state.signIns.rotate(required(fields, 'refresh_token'), oidc.clientId)
      return issue(state, login, { issuer, nonce: undefined })
    }
    default:
      throw serviceError('unsupported_grant_type')
  }
}

const memberOf = ({ roster }: ServiceState, { user: { email } }: Login) =>
  email === undefined ? undefined : roster.find(email)

async function issue(
  state: ServiceState,
  login: Login,
  { issuer, nonce }: { readonly issuer: string; readonly nonce: string | undefined },
): Promise<TokenResponse> {
  const { clock, signIns, signingKeys, random } = state
  // Issued before the first await, so that a concurrent reuse of the rotated token revokes this new one too.
  const refresh_token = signIns.issueRefreshToken(login)
  const { user, clientId, scopes } = login
  const iat = Math.floor(clock.now().getTime() / 1000)
  const common = { iss: issuer, sub: user.sub, iat, exp: iat + accessTokenSeconds }
  const member = memberOf(state, login)
  const membership = member?.active ? { [memberIdClaim]: member.member_id } : {}
  const scope = scopes.join(' ')
  // The contract does not document the audience and further claims. The audience is the issuer, which serves the
  // resources (section 5).
  const access = { ...common, aud: issuer, client_id: clientId, scope, jti: random.uuid(), ...membership }
  const access_token = await signingKeys.sign(access, 'at+jwt')
  const claims = { ...user.claims, ...common, aud: clientId, ...(nonce === undefined ? {} : { nonce }) }
  const id_token = await signingKeys.sign({ ...claims, ...membership, at_hash: await digest(access_token, 16) }, 'JWT')
  return {
    access_token,
    refresh_token,
    id_token,
    token_type: 'Bearer',
    expires_in: accessTokenSeconds,
    scope,
  }
}

/** Returns the first bytes of the SHA-256 of a text, in base64url. */
async function digest(text: string, bytes = 32): Promise<string> {
  const { base64url } = await import('#jose')
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encodeUtf8(text)))
  return base64url.encode(hash.subarray(0, bytes))
}

function required(fields: FormFields, name: string): string {
  const value = fields[name]
  if (value === undefined || value === '') throw invalidRequest(`${name}: is required`)
  return value
}

/** Reads JSON, as the contract documents, or a form, which RFC 6749 defines and other clients send. */
const maxBodyBytes = 64 * 1024

function readFields({ bytes, headers }: EmulatorRequest): FormFields {
  if (bytes.byteLength > maxBodyBytes) throw invalidRequest(`the body is larger than ${maxBodyBytes} bytes`)
  const type = headers.get('content-type') ?? ''
  const text = decodeUtf8(bytes)
  if (text === undefined) throw invalidRequest('the body is not UTF-8')
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) return readForm(new URLSearchParams(text))
  if (!/^application\/json\b/i.test(type)) throw invalidRequest('content-type: must be application/json')
  const body = parseJson(text)
  if (body === undefined) throw invalidRequest('the body is not JSON')
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest('the body is not a JSON object')
  const invalid = Object.entries(body).find(([, value]) => typeof value !== 'string')
  if (invalid !== undefined) throw invalidRequest(`${invalid[0]}: must be a string`)
  return body as FormFields
}

function readForm(form: URLSearchParams): FormFields {
  const fields = new Map<string, string>()
  for (const [name, value] of form) {
    if (fields.has(name)) throw invalidRequest(`${name}: occurs more than once`)
    fields.set(name, value)
  }
  return Object.fromEntries(fields)
}
