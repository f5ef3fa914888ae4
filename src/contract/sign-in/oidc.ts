import * as z from 'zod/mini'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { anything, maybeText, nonEmpty, oneOf } from '../schema/fields.ts'
import type { MoreFields, Open } from '../schema/open-types.ts'
import { schema, schemaFor } from '../schema/schema.ts'

/** Scopes that the contract mentions; an application may have others enabled. */
export type Scope = Open<'openid' | 'profile' | 'verifications' | 'zkp'>

/** Must be among the scopes of every sign-in. */
export const requiredScope = 'openid'

/** The only algorithm of tokens (contract, section 2.8). */
export const signingAlgorithm = 'RS256'

export const responseType = 'code'

export const challengeMethod = 'S256'

export const grantTypes = { code: 'authorization_code', refresh: 'refresh_token' } as const

/** What the browser takes to the consent screen. */
export const authorizeParameters = {
  clientId: 'client_id',
  redirectUri: 'redirect_uri',
  responseType: 'response_type',
  scope: 'scope',
  state: 'state',
  nonce: 'nonce',
  codeChallenge: 'code_challenge',
  codeChallengeMethod: 'code_challenge_method',
} as const

/** What the browser brings back. `iss` is that of RFC 9207: checked when it is there. */
export const callbackParameters = {
  code: 'code',
  state: 'state',
  error: 'error',
  errorDescription: 'error_description',
  issuer: 'iss',
} as const

/** How long a code can be exchanged, once (contract, section 8). */
export const codeLifetimeMs = 120_000

/** How long an access token lasts, about (contract, section 8). */
export const accessTokenSeconds = 900

/** The claim that names a member of an organization (contract, section 2.9). */
export const memberIdClaim = 'svc_org_member_id'

/** The token endpoint's answer, which has no envelope (contract, section 2.8). */
export interface TokenResponse extends MoreFields {
  /** A bearer token, RS256. Keep it secret. */
  readonly access_token: string
  /** `Bearer`. */
  readonly token_type: string
  /** Seconds; about 900. */
  readonly expires_in: number
  /** Gets the next tokens, once: each refresh brings a new one and revokes this. */
  readonly refresh_token?: string | null | undefined
  /** Says who signed in; believe it once it is validated. */
  readonly id_token?: string | null | undefined
  /** Separated by spaces. */
  readonly scope?: string | null | undefined
}

const tokenResponse = schemaFor<TokenResponse>()(() =>
  z.looseObject({
    access_token: nonEmpty(),
    token_type: z.string().check(z.regex(/^bearer$/i, 'must be Bearer')),
    expires_in: z.number().check(z.positive('must be above 0')),
    refresh_token: maybeText(),
    id_token: maybeText(),
    scope: maybeText(),
  }),
)

const client = () => ({ client_id: nonEmpty(), client_secret: nonEmpty() })

/** The browser goes here; no client of ours calls it. */
export const authorize = endpoint({
  operation: 'oidc.authorize',
  section: '4.7',
  errors: [
    'access_denied',
    'invalid_client',
    'unauthorized_client',
    'invalid_redirect_uri',
    'unsupported_response_type',
    'invalid_scope',
    'invalid_request',
  ],
  method: 'GET',
  path: '/api/auth/oidc/authorize',
  query: schema(() =>
    z.looseObject({
      client_id: nonEmpty(),
      redirect_uri: nonEmpty(),
      response_type: oneOf([responseType]),
      scope: nonEmpty(),
      state: nonEmpty(),
      nonce: z.optional(z.string()),
      code_challenge: z.optional(z.string()),
      code_challenge_method: z.optional(oneOf([challengeMethod])),
    }),
  ),
  response: anything,
  replay: 'safe',
})

/** Neither grant is repeated: a code is spent by its first use, and a refresh token revokes all when used twice. */
const token = {
  method: 'POST',
  path: '/api/auth/oidc/token',
  response: tokenResponse,
  section: '4.7',
  errors: [
    'invalid_request',
    'invalid_client',
    'unauthorized_client',
    'invalid_grant',
    'unsupported_grant_type',
  ],
  strict: tokenResponse,
  envelope: 'none',
  replay: 'never',
} as const

export const exchangeCode = endpoint({
  ...token,
  operation: 'oidc.exchangeCode',
  body: schema(() =>
    z.looseObject({
      grant_type: oneOf([grantTypes.code]),
      ...client(),
      code: nonEmpty(),
      redirect_uri: nonEmpty(),
      code_verifier: z.optional(z.string()),
    }),
  ),
})

export const refreshTokens = endpoint({
  ...token,
  operation: 'oidc.refresh',
  body: schema(() =>
    z.looseObject({ grant_type: oneOf([grantTypes.refresh]), refresh_token: nonEmpty(), ...client() }),
  ),
})

const keySet = schema(() => z.looseObject({ keys: z.array(z.unknown()) }))

/** The key set is bare (contract, section 2.1). A set inside the envelope is read too. */
export const readKeys = endpoint({
  operation: 'oidc.jwks',
  section: '4.7',
  method: 'GET',
  path: '/api/auth/oidc/jwks.json',
  response: keySet,
  strict: keySet,
  envelope: 'optional',
  replay: 'safe',
  // A key set is a few KiB; one that is not is an attempt to fill the memory.
  maxResponseBytes: 512 * 1024,
})

/** Every operation of the sign-in flow. */
export const oidcEndpoints: readonly Endpoint[] = [authorize, exchangeCode, refreshTokens, readKeys]
