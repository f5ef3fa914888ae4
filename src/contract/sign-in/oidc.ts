import type { Endpoint, OperationFacts } from '../endpoint.ts'
import { anything, maybeText, nonEmpty, oneOf, rule, schema, schemaFor } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'

/** The scopes that the contract names (section 4.7). Others can be enabled on an application. */
export const scopes = ['openid', 'profile', 'verifications', 'zkp'] as const

/** A scope, which must be enabled on the application. The contract names those that were seen (section 4.7). */
export type Scope = (typeof scopes)[number] | (string & {})

/** The scope that every sign-in must include. */
export const requiredScope = 'openid'

/** The only signature algorithm of tokens (contract, section 2.8). */
export const signingAlgorithm = 'RS256'

export const responseType = 'code'

export const challengeMethod = 'S256'

export const grantTypes = { code: 'authorization_code', refresh: 'refresh_token' } as const

/** Query parameters of the authorize endpoint. */
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

/** Query parameters of the callback. `iss` is defined by RFC 9207 and is checked if present. */
export const callbackParameters = {
  code: 'code',
  state: 'state',
  error: 'error',
  errorDescription: 'error_description',
  issuer: 'iss',
} as const

/** Lifetime of an authorization code in milliseconds. A code can be used once (contract, section 8). */
export const codeLifetimeMs = 120_000

/** Approximate lifetime of an access token, in seconds (contract, section 8). */
export const accessTokenSeconds = 900

/** The claim with the id of a member of an organization (contract, section 2.9). */
export const memberIdClaim = 'svc_org_member_id'

/** The response of the token endpoint, which has no envelope (contract, section 2.8). */
export interface TokenResponse {
  /** The access token, an RS256 JWT. Keep it secret. */
  readonly access_token: string
  /** The token type, `Bearer`. */
  readonly token_type: string
  /** Lifetime of the access token in seconds, about 900. */
  readonly expires_in: number
  /** The refresh token. Each refresh returns a new one and revokes the one you presented. */
  readonly refresh_token: string
  /** The id_token, an RS256 JWT. Trust it only after validation. */
  readonly id_token?: string | null | undefined
  /** The granted scopes, separated by spaces. */
  readonly scope: string
}

const tokenFields = () => ({
  access_token: nonEmpty(),
  token_type: z.string().check(z.refine((type) => /^bearer$/i.test(type), 'must be Bearer')),
  expires_in: z
    .number()
    .check(rule((seconds: number) => seconds > 0, 'must be above 0', { type: 'integer', exclusiveMinimum: 0 })),
  id_token: maybeText(),
})

const tokenResponse = /* @__PURE__ */ schemaFor<TokenResponse>()(() =>
  z.looseObject({ ...tokenFields(), refresh_token: z.string(), scope: z.string() }),
)

/** The always validated part. Servers may leave out two fields (RFC 6749, section 5.1). */
const decisiveTokens = /* @__PURE__ */ schema(() =>
  z.looseObject({ ...tokenFields(), refresh_token: maybeText(), scope: maybeText() }),
)

const client = () => ({ client_id: nonEmpty(), client_secret: nonEmpty() })

/** The browser requests this endpoint. The clients never call it. */
export const authorize = {
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
  query: /* @__PURE__ */ schema(() =>
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
} as const satisfies Endpoint

/**
 * Neither grant is retried, because a code can be used only once, and a refresh token that is presented twice revokes
 * all refresh tokens of that user and client.
 */
const grant = <const Facts>(facts: Facts) =>
  ({
    section: '4.7',
    errors: ['invalid_request', 'invalid_client', 'unauthorized_client', 'invalid_grant', 'unsupported_grant_type'],
    method: 'POST',
    path: '/api/auth/oidc/token',
    response: tokenResponse,
    strict: decisiveTokens,
    envelope: 'none',
    replay: 'never',
    ...facts,
  }) as const

export const exchangeCode = /* @__PURE__ */ grant({
  operation: 'oidc.exchangeCode',
  body: /* @__PURE__ */ schema(() =>
    z.looseObject({
      grant_type: oneOf([grantTypes.code]),
      ...client(),
      code: nonEmpty(),
      redirect_uri: nonEmpty(),
      code_verifier: z.optional(z.string()),
    }),
  ),
}) satisfies Endpoint

export const refreshTokens = /* @__PURE__ */ grant({
  operation: 'oidc.refresh',
  body: /* @__PURE__ */ schema(() =>
    z.looseObject({ grant_type: oneOf([grantTypes.refresh]), refresh_token: nonEmpty(), ...client() }),
  ),
}) satisfies Endpoint

const keySet = /* @__PURE__ */ schema(() => z.looseObject({ keys: z.array(z.unknown()) }))

/** Path of {@link readKeys}. */
export const keysPath = '/api/auth/oidc/jwks.json'

/** The key set has no envelope (contract, section 2.1). A set inside the envelope is read too. */
export const readKeys = {
  operation: 'oidc.jwks',
  section: '4.7',
  method: 'GET',
  path: keysPath,
  response: keySet,
  strict: keySet,
  envelope: 'optional',
  replay: 'safe',
  // 512 KiB. A key set has a few KiB, and a larger response must not fill the memory.
  maxResponseBytes: 524_288,
} as const satisfies Endpoint

/** The operations of the sign-in flow, as a type. */
export interface SignInOperations {
  readonly 'oidc.authorize': OperationFacts<
    'GET /api/auth/oidc/authorize',
    | 'access_denied'
    | 'invalid_client'
    | 'unauthorized_client'
    | 'invalid_redirect_uri'
    | 'unsupported_response_type'
    | 'invalid_scope'
    | 'invalid_request'
  >
  readonly 'oidc.exchangeCode': OperationFacts<
    'POST /api/auth/oidc/token',
    'invalid_request' | 'invalid_client' | 'unauthorized_client' | 'invalid_grant' | 'unsupported_grant_type'
  >
  readonly 'oidc.refresh': OperationFacts<
    'POST /api/auth/oidc/token',
    'invalid_request' | 'invalid_client' | 'unauthorized_client' | 'invalid_grant' | 'unsupported_grant_type'
  >
  readonly 'oidc.jwks': OperationFacts<'GET /api/auth/oidc/jwks.json', never>
}

/** Every operation of the sign-in flow. */
export const oidcEndpoints = [authorize, exchangeCode, refreshTokens, readKeys] as const
