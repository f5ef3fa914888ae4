import {
  authorizeParameters,
  exchangeCode,
  grantTypes,
  readKeys,
  refreshTokens,
  responseType,
  type Scope,
  type TokenResponse,
} from '../contract/sign-in/oidc.ts'
import { invalidParam } from '../errors/call-errors.ts'
import { ConfigurationError, inCall } from '../errors/sdk-error.ts'
import { TokenValidationError, tokenRejection } from '../errors/sign-in-errors.ts'
import { type ApiPromise, CallPromise, type WithResponse } from '../http/exchange/api-promise.ts'
import { HttpClient } from '../http/http-client.ts'
import { changedOptions, type OptionChanges } from '../http/params/option-changes.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { checkCallOptions } from '../http/params/params.ts'
import type { QueryOf, RawBearerRequest, RawQuery } from '../http/raw-request.ts'
import { nameApplication, ServiceClient } from '../http/service-client.ts'
import { passOn } from '../observe/observation.ts'
import { checkOptions, trueOrFalse } from '../options/rules.ts'
import { bindMethods, PrivateMembers } from '../runtime/public-class.ts'
import { isRedirectUri, redirectUriForm } from '../runtime/secure-url.ts'
import { bearerRequest } from './bearer-request.ts'
import { JwksCache } from './jwks/jwks-cache.ts'
import { type Legacy, LegacySignOn } from './legacy/legacy.ts'
import { defaultToleranceSeconds, type OidcClientOptions, optionRules } from './options.ts'
import { readCredential, readIssuers, readJwksOptions, readRedirectUris } from './settings.ts'
import {
  type AuthorizationParams,
  type AuthorizationRequest,
  createAuthorization,
  isScopeList,
  scopeText,
} from './sign-in/authorization.ts'
import { type CallbackInput, checkCallback, readCallback } from './sign-in/callback.ts'
import { keepReceived } from './tokens/failed-refresh.ts'
import type { ExchangeParams, RefreshParams, SignedInTokens, StartedSignIn, TokenSet } from './tokens/token-set.ts'
import { type AccessTokenClaims, type AccessTokenExpectations, checkAccessToken } from './validation/access-token.ts'
import { checkIdToken, type IdTokenClaims, type IdTokenExpectations } from './validation/id-token.ts'
import { VerifiedTokenCache } from './validation/verified-token-cache.ts'
import type { ClaimRules } from './validation/verify-token.ts'

/** What does not depend on the options that `withOptions` changes. */
interface Caches {
  readonly keys: JwksCache
  readonly tokens: VerifiedTokenCache
}

/** The calls of a client, and what they share. */
class SignInCalls {
  readonly options: OidcClientOptions
  readonly http: HttpClient
  readonly credentials: { readonly client_id: string; readonly client_secret: string }
  readonly redirectUris: readonly string[]
  readonly scope: readonly Scope[]
  readonly issuers: readonly string[]
  readonly toleranceSeconds: number
  readonly caches: Caches

  /** @param from those of the client that `withOptions` was called on */
  constructor(options: OidcClientOptions, from: SignInCalls | undefined) {
    checkOptions('OidcClient', options, optionRules)
    const owner = from ? 'withOptions' : 'OidcClient'
    this.credentials = {
      client_id: readCredential(owner, 'clientId', 'SVC_CLIENT_ID', options.clientId),
      client_secret: readCredential(owner, 'clientSecret', 'SVC_CLIENT_SECRET', options.clientSecret),
    }
    const { client_id: clientId, client_secret: clientSecret } = this.credentials
    this.options = { ...options, clientId, clientSecret }
    const { scope = [] } = options
    this.redirectUris = readRedirectUris(owner, options.redirectUri)
    if (!isScopeList(scope)) throw new ConfigurationError({ message: `${owner}: scope ${scopeListForm}` })
    const auth = { headers: {}, secrets: [this.credentials.client_secret] }
    this.http = new HttpClient({
      owner,
      options,
      baseUrlVariable: 'SVC_BASE_URL',
      auth: () => auth,
      from: from?.http,
    })
    this.scope = [...scope]
    this.issuers = readIssuers(owner, options.issuer ?? this.http.baseUrl)
    this.toleranceSeconds = options.clockToleranceSeconds ?? defaultToleranceSeconds
    const { timeoutMs, cacheMs, maxStaleMs } = readJwksOptions(owner, options.jwks)
    this.caches = from?.caches ?? {
      keys: new JwksCache({
        cacheMs,
        maxStaleMs,
        timeoutMs,
        timing: this.http.timing,
        fetch: async () => (await this.http.send(readKeys, {}, { timeoutMs, maxRetries: 0 })).keys,
      }),
      tokens: new VerifiedTokenCache(),
    }
  }

  async exchange(
    operation: string,
    params: ExchangeParams,
    options: RequestOptions | undefined,
  ): Promise<WithResponse<SignedInTokens>> {
    const { code, redirectUri, codeVerifier, nonce }: Partial<ExchangeParams> = params ?? {}
    const body = {
      grant_type: grantTypes.code,
      ...this.credentials,
      code,
      redirect_uri: this.redirectUriFor(operation, redirectUri),
      ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    }
    const { data, response } = await this.http.send(exchangeCode, { body }, options).withResponse()
    const { id_token } = data
    if (!id_token) {
      const message = `${operation}: the response of the token endpoint has no id_token`
      throw new TokenValidationError({ reason: 'missing_claim', message, claim: 'id_token' })
    }
    const expiresAtSeconds = this.expiryOf(data)
    const expected = { nonce, accessToken: data.access_token }
    const claims = await inCall(operation, () => this.checkIdToken(id_token, expected))
    return { data: withOwnFields(data, { expiresAtSeconds, id_token, claims }), response }
  }

  async refresh(
    refreshToken: string,
    { expected }: RefreshParams,
    options: RequestOptions | undefined,
  ): Promise<WithResponse<TokenSet>> {
    const body = { grant_type: grantTypes.refresh, refresh_token: refreshToken, ...this.credentials }
    const { data, response } = await this.http.send(refreshTokens, { body }, options).withResponse()
    const expiresAtSeconds = this.expiryOf(data)
    if (!data.id_token) return { data: withOwnFields(data, { expiresAtSeconds }), response }
    const claims = await inCall(refreshTokens.operation, () =>
      this.checkRefreshed(data.id_token, data.access_token, expected),
    ).catch((error: unknown) => {
      keepReceived(error, data.refresh_token)
      throw error
    })
    return { data: withOwnFields(data, { expiresAtSeconds, claims }), response }
  }

  checkIdToken(idToken: unknown, expected: IdTokenExpectations): Promise<IdTokenClaims> {
    const rules = { ...this.claimRules(), clientId: this.credentials.client_id }
    return checkIdToken(idToken, this.caches.keys, rules, expected)
  }

  async checkRefreshed(
    idToken: unknown,
    accessToken: string,
    expected: RefreshParams['expected'],
  ): Promise<IdTokenClaims> {
    const claims = await this.checkIdToken(idToken, { accessToken })
    if (expected?.sub !== undefined && claims.sub !== expected.sub) {
      const message = 'the new tokens belong to another person'
      throw tokenRejection('subject_mismatch', message, 'sub')
    }
    if (expected?.iss !== undefined && claims.iss !== expected.iss) {
      const message = 'the new tokens are from another issuer'
      throw tokenRejection('issuer_mismatch', message, 'iss')
    }
    return claims
  }

  expiryOf({ expires_in }: TokenResponse): number {
    return Math.floor(this.http.timing.wallClock() / 1000 + expires_in)
  }

  claimRules(): ClaimRules {
    const now = this.http.timing.wallClock() / 1000
    return { issuers: this.issuers, now, toleranceSeconds: this.toleranceSeconds }
  }

  /** The one that calls use by default. */
  get redirectUri(): string | undefined {
    return this.redirectUris.length > 1 ? undefined : this.redirectUris[0]
  }

  redirectUriFor(operation: string, ofParams: string | undefined): string {
    const redirectUri = ofParams ?? this.redirectUri
    if (redirectUri === undefined) {
      const what = this.redirectUris.length > 1 ? 'one of those of the client' : 'it here, or to the client'
      throw invalidParam(operation, 'redirectUri', `is missing: pass ${what}`)
    }
    if (!isRedirectUri(redirectUri)) throw invalidParam(operation, 'redirectUri', redirectUriForm)
    return redirectUri
  }
}

const calls = /* @__PURE__ */ new PrivateMembers<OidcClient, SignInCalls>()

/**
 * Signs people in with OpenID Connect: authorization code with PKCE, RS256 id_tokens, rotating refresh tokens.
 *
 * @throws {ConfigurationError} from the constructor, if an option is missing or invalid
 *
 * @example
 * const oidc = new OidcClient({ baseUrl, clientId, clientSecret, redirectUri: 'https://app.example.com/callback' })
 * const login = await oidc.createAuthorization() // keep it for this browser, and redirect the browser to login.url
 */
export class OidcClient extends ServiceClient {
  /**
   * The third-party sign-on that preceded OpenID Connect.
   *
   * @deprecated The service has removed these endpoints. They return 410 `endpoint_removed`.
   */
  readonly legacy: Legacy

  constructor(options?: OidcClientOptions)
  // `from` are the caches of the client that `withOptions` was called on.
  constructor(options: OidcClientOptions = {}, from?: SignInCalls) {
    const own = new SignInCalls(options, from)
    super(own.http)
    calls.set(this, own)
    passOn(this, options)
    nameApplication(this, own.http.baseUrl, own.credentials.client_id)
    this.legacy = bindMethods(new LegacySignOn(own.http, own.credentials, own.redirectUri))
  }

  /**
   * The callback URL of the options, or several. `undefined` if there is none. Unless there is exactly one, each sign-in
   * must pass its own.
   */
  get redirectUri(): string | readonly string[] | undefined {
    const { redirectUri, redirectUris } = calls.of(this)
    return redirectUris.length > 1 ? redirectUris : redirectUri
  }

  /**
   * Starts a sign-in. Creates state, nonce and PKCE verifier of 256 random bits each, and the URL for the browser. Keep
   * the result bound to this browser, in a session or an encrypted HttpOnly cookie, and use it once. The result has no
   * verifier if `pkce` is false.
   *
   * @throws {InvalidParamsError} there is no redirect URI, or several and none was passed, or `scope` is not a list of
   *   names
   *
   * @example
   * const { url, ...started } = await oidc.createAuthorization({ scope: ['profile'] })
   */
  async createAuthorization<Pkce extends boolean = true>(
    params: AuthorizationParams<Pkce> = {},
  ): Promise<AuthorizationRequest<Pkce extends true ? string : string | undefined>> {
    const operation = 'oidc.createAuthorization'
    checkCallOptions<AuthorizationParams>(
      params,
      operation,
      { scope: true, redirectUri: true, pkce: trueOrFalse },
      'params',
    )
    const own = calls.of(this)
    const redirectUri = own.redirectUriFor(operation, params.redirectUri)
    const { client_id: clientId } = own.credentials
    const { scope = own.scope, pkce = true }: AuthorizationParams = params
    if (!isScopeList(scope)) throw invalidParam(operation, 'scope', scopeListForm)
    const created = createAuthorization({ baseUrl: own.http.baseUrl, clientId }, { scope, redirectUri, pkce })
    return created as Promise<AuthorizationRequest>
  }

  /**
   * Finishes a sign-in. Compares the callback with the sign-in that was started, exchanges its code and validates the
   * id_token.
   *
   * @param callback the request's URL, query or `Request`. A relative URL is accepted
   * @param started what `createAuthorization` returned for this browser
   * @throws {CallbackError} the callback was rejected. Respond with its `status`, 400
   * @throws {TokenValidationError} the id_token was rejected
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`: the code was used, or its 2 minutes are over
   *
   * @example
   * const { claims, access_token } = await oidc.handleCallback(req.url, login)
   */
  async handleCallback(
    callback: CallbackInput,
    started: StartedSignIn,
    options?: RequestOptions,
  ): Promise<SignedInTokens> {
    // A session that has expired may pass nothing, despite the type. No callback matches a missing state.
    const { state, nonce, codeVerifier, redirectUri }: Partial<StartedSignIn> = started ?? {}
    const operation = 'oidc.handleCallback'
    const own = calls.of(this)
    const usedRedirectUri = redirectUri ?? own.redirectUri
    const sent = {
      [authorizeParameters.clientId]: own.credentials.client_id,
      ...(usedRedirectUri === undefined ? {} : { [authorizeParameters.redirectUri]: usedRedirectUri }),
      [authorizeParameters.responseType]: responseType,
      [`${authorizeParameters.scope} of the client`]: scopeText(own.scope),
    }
    const expected = { state, issuers: own.issuers, redirectUri: usedRedirectUri }
    const code = await inCall(operation, () => checkCallback(readCallback(callback, sent), expected))
    if (!nonce) throw invalidParam(operation, 'nonce', 'is missing: pass what createAuthorization returned')
    const params = { code, redirectUri, codeVerifier, nonce }
    return (await own.exchange(operation, params, options)).data
  }

  /**
   * Exchanges a code for tokens. The request is never retried, because a code can be used only once. The id_token is
   * always validated, including its nonce if you pass one.
   *
   * @throws {TokenValidationError} the id_token was rejected
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`
   * @throws {AuthenticationError} `invalid_client`
   * @throws {PermissionDeniedError} `unauthorized_client`
   *
   * @example
   * const tokens = await oidc.exchangeCode({ code, codeVerifier: login.codeVerifier, nonce: login.nonce })
   */
  exchangeCode(params: ExchangeParams, options?: RequestOptions): ApiPromise<SignedInTokens> {
    const { operation } = exchangeCode
    const send = async () => {
      checkCallOptions(params ?? {}, operation, exchangeRules, 'params')
      return calls.of(this).exchange(operation, params, options)
    }
    return new CallPromise(send())
  }

  /**
   * Exchanges a refresh token for new tokens. This uses up the refresh token: store the new one before anything else.
   * Never send the old one again, because that revokes every refresh token of this person and client. If you run more
   * than one process, let only one of them refresh, or use `createTokenManager`. The request is never retried.
   *
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`: the token was used, was revoked or has expired
   * @throws {ConnectionError | TimeoutError} if `mayHaveArrived` is true, the token may have been used: sign the person
   *   in again
   * @throws {ApiError} a 5xx, a 408, or a response of a proxy, whose `code` is `http_` and the status: the token may
   *   have been used
   * @throws {TokenValidationError} the response has an id_token, and it was rejected. The new refresh token is lost, also
   *   if the clock of this process is wrong or it does not get the issuer's key; `createTokenManager` keeps it then
   *
   * @example
   * const tokens = await oidc.refresh(refreshToken, { expected: { sub: claims.sub, iss: claims.iss } })
   */
  refresh(refreshToken: string, params: RefreshParams = {}, options?: RequestOptions): ApiPromise<TokenSet> {
    return new CallPromise(calls.of(this).refresh(refreshToken, params, options))
  }

  /**
   * Validates an id_token: the signature (RS256 with a key of the issuer), issuer, audience, times, and the nonce if
   * you pass one. Tokens whose header has `crit`, a key or the URL of a key are rejected.
   *
   * @typeParam Claims types of further claims. They are not validated
   * @throws {TokenValidationError} the token was rejected; see `reason`
   * @see OpenID Connect Core, section 3.1.3.7
   *
   * @example
   * const { sub, locale } = await oidc.validateIdToken<{ locale?: string }>(idToken, { nonce })
   */
  async validateIdToken<Claims extends object = IdTokenClaims>(
    idToken: string,
    expected: IdTokenExpectations = {},
  ): Promise<IdTokenClaims & Claims> {
    const operation = 'oidc.validateIdToken'
    checkCallOptions(expected, operation, { nonce: true, accessToken: true }, 'expected')
    const claims = await inCall(operation, () => calls.of(this).checkIdToken(idToken, expected))
    return claims as IdTokenClaims & Claims
  }

  /**
   * Validates an access token that your API receives: the signature (RS256 with a key of the issuer), issuer, times,
   * and the scopes that you require. A token with `nonce` or `at_hash` is rejected, because it is an id_token. The
   * audience is checked only if you pass one. Scopes are read from the claim `scope`, or from `scp` if there is no
   * `scope`: a string separated by spaces, or a list. For up to 4096 tokens, a valid signature is cached as long as the
   * signing key is one of the issuer's. All other checks run each time.
   *
   * @throws {TokenValidationError} the token was rejected; see `reason`
   * @throws {InvalidParamsError} the required `scope` is neither a string nor a list of strings
   *
   * @example
   * const { sub } = await oidc.validateAccessToken(accessToken, { scope: 'profile' })
   */
  async validateAccessToken(token: string, expected: AccessTokenExpectations = {}): Promise<AccessTokenClaims> {
    const operation = 'oidc.validateAccessToken'
    // Under another name, a required scope or audience would not be checked.
    checkCallOptions(expected, operation, { scope: true, audience: true }, 'expected')
    const { keys, tokens } = calls.of(this).caches
    const verification = { keys, cache: tokens }
    return inCall(operation, () => checkAccessToken(token, verification, calls.of(this).claimRules(), expected))
  }

  /**
   * Calls a path of this service that has no method of its own, with the access token of a person, and with the same
   * errors and retries as every call. The response may be bare or in the envelope, which is removed. The client's own
   * credentials are not sent.
   *
   * @throws {ApiError} the service responded with an error
   * @throws {InvalidParamsError} `path` is not an encoded path, it is the token endpoint, or `accessToken` cannot be
   *   sent in a header
   *
   * @example
   * // Take the path from the service's own documentation.
   * const info = await oidc.request<{ sub: string }>({ method: 'GET', path: userInfoPath, accessToken })
   */
  request<T = unknown, Query extends QueryOf<Query> = RawQuery>(
    request: RawBearerRequest<Query>,
    options?: RequestOptions,
  ): ApiPromise<T> {
    return bearerRequest<T>(calls.of(this).http, request, options)
  }

  /**
   * Creates a client with other options. Both clients share the connection pool, the retry budget and the issuer's keys,
   * and the new one sends the `headers` of both. What is `undefined` in `changes` is not changed.
   *
   * @param changes all options except those of the pool (`baseUrl`, `fetch`, `dispatcher`, `connections`, `http2`) and
   *   `jwks`
   * @throws {ConfigurationError} an option is invalid, or one that the clients share
   *
   * @example
   * const strict = oidc.withOptions({ clockToleranceSeconds: 0 })
   */
  withOptions(changes: OptionChanges<OidcClientOptions, 'jwks'>): OidcClient {
    const own = calls.of(this)
    return create(changedOptions(own.options, changes, optionRules, 'jwks'), own)
  }
}

/** Outside of the class, because esbuild renames a class that refers to itself. */
const create = (...args: readonly [options: OidcClientOptions, from: SignInCalls]): OidcClient =>
  Reflect.construct(OidcClient, args)

/** Adds the package's fields to a response. A member `claims` is dropped, because it was not validated. */
function withOwnFields<Own extends object>(data: TokenResponse & { readonly claims?: unknown }, own: Own) {
  const { claims: _, ...fields } = data
  return { ...fields, ...own }
}

const exchangeRules = { code: true, redirectUri: true, codeVerifier: true, nonce: true } as const

const scopeListForm = "must be a list of names, such as ['openid', 'profile']"
