// Misspelled on purpose: cspell:ignore acess

import {
  type AccessTokenClaims,
  type AuthorizationRequest,
  createSignInHandler,
  createTokenManager,
  type IdTokenClaims,
  type LegacyLicense,
  type LegacyTokenSet,
  memoryStore,
  OidcClient,
  type RequestOptions,
  type Scope,
  type SignedInTokens,
  type SignInClient,
  type StartedSignIn,
  type Store,
  type TokenManager,
  type TokenRefresher,
  type TokenSet,
  validateIdToken,
  type WithResponse,
} from 'identity-service-sdk'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

const { OIDC_CLIENT, OIDC_SECRET, COOKIE_SECRET, TOKEN_KEY }: Record<string, string | undefined> = {}
const store = memoryStore()

// Options that have a default in the environment accept a variable that may be unset.
export const oidc = new OidcClient({
  clientId: OIDC_CLIENT,
  clientSecret: OIDC_SECRET,
  baseUrl: undefined,
  redirectUri: undefined,
  scope: undefined,
  issuer: undefined,
  clockToleranceSeconds: undefined,
  jwks: { cacheMs: undefined, maxStaleMs: undefined, timeoutMs: undefined },
})

// Tokens of a sign-in have an id_token and claims.
export async function signIn(callback: Request): Promise<string> {
  const { url, ...login } = await oidc.createAuthorization({ scope: ['profile'], redirectUri: undefined })
  const tokens = await oidc.handleCallback(callback, login)
  const exact: Equal<typeof tokens, SignedInTokens> = true
  const exchanged: SignedInTokens = await oidc.exchangeCode({
    code: 'code',
    redirectUri: undefined,
    codeVerifier: login.codeVerifier,
    nonce: undefined,
  })
  const { data }: WithResponse<SignedInTokens> = await oidc.exchangeCode({ code: 'code' }).withResponse()
  const idToken: string = exchanged.id_token
  const claims: IdTokenClaims = tokens.claims
  const audience: string | string[] = claims.aud
  const custom: unknown = claims.custom_claim
  return `${url} ${exact} ${idToken} ${audience} ${custom} ${data.claims.sub}`
}

// A refresh may return no id_token.
export async function refresh(old: SignedInTokens): Promise<TokenSet> {
  const expected = { sub: old.claims.sub, iss: undefined }
  const options: RequestOptions = { timeoutMs: 1000, signal: undefined }
  const tokens = await oidc.refresh('refresh_token', { expected }, options)
  const exact: Equal<typeof tokens, TokenSet> = true
  // @ts-expect-error: claims may be missing
  const sub: string = tokens.claims.sub
  // @ts-expect-error: tokens without claims are not those of a sign-in
  const signedIn: SignedInTokens = tokens
  // @ts-expect-error: options are the third parameter
  await oidc.refresh('refresh_token', { timeoutMs: 1000 })
  await oidc.refresh('refresh_token', undefined, options)
  await oidc.legacy.refresh('refresh_token', { auth: 'basic', rotate_refresh: undefined }, options)
  // @ts-expect-error: options are the third parameter
  await oidc.legacy.refresh('refresh_token', { auth: 'basic', timeoutMs: 1000 })
  return exact ? tokens : { ...signedIn, scope: sub }
}

// Results list their fields: a misspelled one does not compile.
export function misspelled(tokens: TokenSet, legacy: LegacyTokenSet, claims: AccessTokenClaims): unknown[] {
  // @ts-expect-error: no such field
  const { acess_token } = tokens
  // @ts-expect-error: no such field
  const expiry: unknown = tokens.expires_on
  // @ts-expect-error: no such field
  const name: unknown = legacy.user.full_nam
  const kept: Equal<
    keyof Omit<LegacyTokenSet, 'user' | 'token_type'>,
    'access_token' | 'expires_in' | 'refresh_token'
  > = true
  const session_state = 'session_state' in tokens ? tokens.session_state : undefined
  return [acess_token, expiry, name, kept, claims.any_claim, session_state]
}

// The verifier is there, unless the sign-in was started without PKCE.
export async function verifiers(callback: string, mayUsePkce: boolean, optional?: boolean): Promise<void> {
  const login = await oidc.createAuthorization()
  const verifier: string = login.codeVerifier
  const exact: Equal<typeof login, AuthorizationRequest> = true
  const same: AuthorizationRequest = await oidc.createAuthorization({ pkce: true })
  const plain = await oidc.createAuthorization({ pkce: false })
  // @ts-expect-error: there is no verifier
  const none: string = plain.codeVerifier
  const either = await oidc.createAuthorization({ pkce: mayUsePkce })
  const maybe: Equal<typeof either.codeVerifier, string | undefined> = true
  const unset = await oidc.createAuthorization({ pkce: optional })
  await oidc.handleCallback(callback, login)
  await oidc.handleCallback(callback, plain)
  await oidc.handleCallback(callback, { state: login.state, nonce: login.nonce, codeVerifier: undefined })
  // @ts-expect-error: the verifier was forgotten
  await oidc.handleCallback(callback, { state: login.state, nonce: login.nonce })
  const { codeVerifier, ...rest } = login
  // @ts-expect-error: the verifier was forgotten
  const started: StartedSignIn = rest
  console.log(verifier, exact, same, none, maybe, unset.codeVerifier, codeVerifier, started)
}

const scope: Scope = 'verifications'
export const asked: Promise<AuthorizationRequest> = oidc.createAuthorization({ scope: [scope, 'zkp'] })
export const furtherScope: Scope = 'offline_access'
// @ts-expect-error: scopes are a list
export const scopesInOneString = oidc.createAuthorization({ scope: 'openid profile' })

// Lists in results can be sorted and passed on.
export async function licenses(): Promise<LegacyLicense[]> {
  const list: LegacyLicense[] = await oidc.legacy.licenses('access_token')
  const { licenses } = await oidc.legacy.verifications('access_token')
  licenses?.sort()
  return list.reverse()
}

const claims: IdTokenClaims = {
  iss: 'issuer',
  sub: 'user_1',
  aud: 'client',
  exp: 2,
  iat: 1,
  nonce: undefined,
}
const tokens = {
  access_token: 'access',
  token_type: 'Bearer',
  expires_in: 900,
  expiresAtSeconds: 1,
  refresh_token: 'refresh_0',
  scope: 'openid',
  id_token: 'id_token',
  claims,
}

// A fake is an object literal.
export const manager: TokenManager = createTokenManager({
  oidc: { refresh: async (refreshToken) => ({ ...tokens, refresh_token: `${refreshToken}+` }) },
  store,
  encryptionKey: TOKEN_KEY,
  lockTtlMs: undefined,
})
const fakeRefresher: TokenRefresher = {
  refresh: async (_, { expected }, { deadlineMs }) => ({
    ...tokens,
    scope: `${expected?.sub} ${deadlineMs}`,
  }),
}
const fakeClient: SignInClient = {
  createAuthorization: async () => ({
    url: 'https://id.example.com',
    state: 'state',
    nonce: 'nonce',
    codeVerifier: 'verifier',
    redirectUri: 'https://app.example.com/callback',
  }),
  handleCallback: async (callback, started) => ({
    ...tokens,
    scope: `${callback.get('scope')} ${started.nonce}`,
  }),
}
// @ts-expect-error: a client refreshes tokens
export const noClient = createTokenManager({ oidc: {}, store })
// @ts-expect-error: a store has more operations
export const noStore = createTokenManager({ oidc, store: { get: async () => null } })

type ImportedClient = import('identity-service-sdk', { with: { 'resolution-mode': 'import' }}).OidcClient
type RequiredClient = import('identity-service-sdk', { with: { 'resolution-mode': 'require' }}).OidcClient

// A client and a store of the other module format fit too.
export function ofBothFormats(imported: ImportedClient, required: RequiredClient, shared: Store): TokenManager[] {
  const clients = [imported, required, oidc, fakeClient]
  for (const client of clients) {
    createSignInHandler({ oidc: client, store: shared, onSignIn: () => undefined })
  }
  return [imported, required, oidc, fakeRefresher].map((client) =>
    createTokenManager({ oidc: client, store: shared, encryptionKey: [new Uint8Array(32), 'base64url'] }),
  )
}

// A callback may return a response, nothing, or a promise of either. `fetch` works without its object.
const session = { cookieSecret: COOKIE_SECRET, oidc, store, paths: { login: undefined, callback: '/back' } }
export const { fetch } = createSignInHandler({
  ...session,
  onSignIn: async (signedIn) => {
    const exact: Equal<typeof signedIn, SignedInTokens> = true
    await manager.save(signedIn.claims.sub, signedIn)
    console.log(exact)
  },
  onError: (error) => {
    if (error.name === 'CallbackError' && error.reason === 'state_mismatch') return
    // @ts-expect-error: no such reason
    if (error.name === 'TokenManagerError' && error.reason === 'not_fund') return
    console.error(error.code)
  },
})
export const route = (request: Request): Promise<Response> => fetch(request)
export const others = [
  createSignInHandler({ ...session, onSignIn: ({ claims }) => new Response(claims.sub), onError: undefined }),
  createSignInHandler({
    ...session,
    onSignIn: async ({ claims }) => (claims.nbf ? Response.json(1) : undefined),
  }),
  createSignInHandler({ ...session, onSignIn: ({ claims }) => console.log(claims.sub) }),
  createSignInHandler({
    ...session,
    onSignIn: ({ claims }) => {
      if (!claims.auth_time) return new Response('sign in again', { status: 403 })
    },
  }),
  // @ts-expect-error: text is not a response
  createSignInHandler({ ...session, onSignIn: ({ claims }) => claims.sub }),
]

// Further claims have the types that the caller gives them.
export async function furtherClaims(token: string) {
  const plain = await oidc.validateIdToken(token)
  const isUnknown: Equal<typeof plain.locale, unknown> = true
  const options = { jwks: { keys: [] }, issuer: 'https://id.example.com', audience: 'client' }
  interface Profile {
    readonly locale?: string
    readonly tenant: number
  }
  for (const claims of [await oidc.validateIdToken<Profile>(token), await validateIdToken<Profile>(token, options)]) {
    const locale: string | undefined = claims.locale
    const tenant: number = claims.tenant
    const sub: string = claims.sub
    // @ts-expect-error a claim is a number
    const wrong: string = claims.tenant
    console.log(locale, tenant, sub, wrong)
  }
  // @ts-expect-error the types of claims are those of an object
  await oidc.validateIdToken<string>(token)
  return isUnknown
}
