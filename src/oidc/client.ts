import {
  exchangeCode,
  grantTypes,
  readKeys,
  refreshTokens,
  type TokenResponse,
} from '../contract/sign-in/oidc.ts'
import { InvalidParamsError } from '../errors/call-errors.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { TokenValidationError } from '../errors/sign-in-errors.ts'
import { ApiPromise, type WithResponse } from '../http/api-promise.ts'
import { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'
import { environment } from '../runtime/environment.ts'
import { credential, type OidcClientOptions } from './options.ts'
import { JwksCache } from './jwks/jwks-cache.ts'
import { Legacy } from './legacy/legacy.ts'
import {
  type Authorization,
  type AuthorizationParams,
  type Callback,
  createAuthorization,
  isScopeList,
  readCallback,
} from './sign-in/authorization.ts'
import type { ExchangeParams, RefreshParams, StartedSignIn, TokenSet } from './tokens/token-set.ts'
import { type AccessTokenExpectations, checkAccessToken } from './validation/access-token.ts'
import type { AccessTokenClaims, ClaimRules, IdTokenClaims } from './validation/claims.ts'
import { checkIdToken, type IdTokenExpectations } from './validation/id-token.ts'
import { readIssuers, readJwksOptions, readTolerance } from './validation/options.ts'
import { VerifiedTokenCache } from './validation/verified-token-cache.ts'

/**
 * Signs people in by OpenID Connect: authorization code with PKCE, RS256 id_token, rotating refresh tokens.
 *
 * @throws {ConfigurationError} from the constructor
 * @see service contract, sections 4.7 and 5
 *
 * @example
 * const oidc = new OidcClient({ baseUrl, clientId, clientSecret, redirectUri: 'https://app.example.com/callback' })
 * const login = await oidc.createAuthorization() // keep it for this browser, and send that to login.url
 */
export class OidcClient {
  /**
   * The third-party sign-on before OpenID Connect.
   *
   * @deprecated The service has removed these endpoints: they answer 410 `endpoint_removed`.
   */
  readonly legacy: Legacy
  readonly #http: HttpClient
  readonly #client: { readonly client_id: string; readonly client_secret: string }
  readonly #redirectUri: string | undefined
  readonly #scope: readonly string[]
  readonly #issuers: readonly string[]
  readonly #toleranceSeconds: number
  readonly #keys: JwksCache
  readonly #seen = new VerifiedTokenCache()

  constructor(options: OidcClientOptions = {}) {
    this.#client = {
      client_id: credential('clientId', options.clientId ?? environment('SVC_CLIENT_ID')),
      client_secret: credential('clientSecret', options.clientSecret ?? environment('SVC_CLIENT_SECRET')),
    }
    const { redirectUri, scope = [] } = options
    if (redirectUri !== undefined && !URL.canParse(redirectUri)) {
      throw new ConfigurationError('redirectUri must be an absolute URL')
    }
    if (!isScopeList(scope)) throw new ConfigurationError(`scope ${scopeListForm}`)
    const secrets = [this.#client.client_secret]
    const grant = { headers: {}, secrets }
    this.#http = new HttpClient({ options, baseUrlVariable: 'SVC_BASE_URL', auth: () => grant })
    this.#redirectUri = redirectUri
    this.#scope = [...scope]
    this.#issuers = readIssuers(options.issuer ?? this.#http.baseUrl)
    this.#toleranceSeconds = readTolerance(options.clockToleranceSeconds)
    const { timeoutMs, cacheMs, maxStaleMs } = readJwksOptions(options.jwks)
    this.#keys = new JwksCache({
      cacheMs,
      maxStaleMs,
      now: this.#http.timing.now,
      fetch: async () => (await this.#http.send(readKeys, {}, { timeoutMs, maxRetries: 0 })).keys,
    })
    this.legacy = new Legacy(this.#http, this.#client)
  }

  /**
   * Starts a sign-in: fresh state, nonce and PKCE verifier of 256 bits each, and the address for the browser.
   * Keep the result bound to this browser (a signed, HttpOnly cookie, or a session) and use it once.
   *
   * @throws {InvalidParamsError} there is no redirect URI, or the scopes are no list of names
   * @see service contract, section 4.7
   *
   * @example
   * const { url, ...kept } = await oidc.createAuthorization({ scope: ['profile'] })
   */
  async createAuthorization(params: AuthorizationParams = {}): Promise<Authorization> {
    const operation = 'oidc.createAuthorization'
    const redirectUri = this.#redirect(params.redirectUri, operation)
    const { client_id: clientId } = this.#client
    const { scope = this.#scope, pkce = true } = params
    if (!isScopeList(scope)) throw badParam('scope', scopeListForm, operation)
    return createAuthorization({ baseUrl: this.#http.baseUrl, clientId }, { scope, redirectUri, pkce })
  }

  /**
   * Ends a sign-in: checks the callback against what was kept, exchanges its code and validates the id_token.
   *
   * @param callback the request's URL, query or `Request`; a relative URL will do
   * @param started what `createAuthorization` returned for this browser
   * @throws {CallbackError} answer its `statusCode`, 400
   * @throws {TokenValidationError} the id_token is not to be believed
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`: the code was used, or its 2 minutes are over
   * @see service contract, section 4.7
   *
   * @example
   * const { claims, access_token } = await oidc.handleCallback(req.url, login)
   */
  async handleCallback(
    callback: Callback,
    started: StartedSignIn,
    options?: RequestOptions,
  ): Promise<TokenSet> {
    // A session that is gone has nothing left of the sign-in, whatever the type says: no state fits that.
    const { state, nonce, codeVerifier, redirectUri }: Partial<StartedSignIn> = started ?? {}
    const code = readCallback(callback, { state, issuers: this.#issuers })
    if (!nonce)
      throw badParam('nonce', 'is missing: pass what createAuthorization returned', 'oidc.handleCallback')
    return this.exchangeCode({ code, redirectUri, codeVerifier, nonce }, options)
  }

  /**
   * Exchanges a code for tokens. Sent once: a code is spent by its first use. The id_token is always validated,
   * its nonce where one is given.
   *
   * @throws {TokenValidationError} the id_token is not to be believed
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`
   * @throws {AuthenticationError} `invalid_client`
   * @throws {PermissionDeniedError} `unauthorized_client`
   * @see service contract, sections 4.7 and 5
   *
   * @example
   * const tokens = await oidc.exchangeCode({ code, codeVerifier: login.codeVerifier, nonce: login.nonce })
   */
  exchangeCode(params: ExchangeParams, options?: RequestOptions): ApiPromise<TokenSet> {
    return new ApiPromise(this.#exchange(params, options))
  }

  /**
   * Gets new tokens. The presented refresh token is spent: store the new one before anything else, and never
   * present the old one again, since that revokes every refresh token of this person and client. Of several
   * processes, let one refresh. Sent once, whatever the answer.
   *
   * @throws {BadRequestError | AuthenticationError} `invalid_grant`: the token is spent, revoked or expired
   * @throws {ConnectionError | TimeoutError} where it `mayHaveArrived`, the token may be spent: sign in again
   * @throws {TokenValidationError} an id_token came, and it is not to be believed
   * @see service contract, section 4.7
   *
   * @example
   * const tokens = await oidc.refresh(refreshToken, { expected: { sub: claims.sub, iss: claims.iss } })
   */
  refresh(refreshToken: string, params: RefreshParams = {}): ApiPromise<TokenSet> {
    return new ApiPromise(this.#refresh(refreshToken, params))
  }

  /**
   * Validates an id_token: RS256 with a key of the issuer, issuer, audience, times, nonce, and all that the
   * header must not say.
   *
   * @throws {TokenValidationError} `reason` tells why
   * @see service contract, section 4.7; OpenID Connect Core, section 3.1.3.7
   *
   * @example
   * const { sub } = await oidc.validateIdToken(idToken, { nonce })
   */
  async validateIdToken(idToken: string, expected: IdTokenExpectations = {}): Promise<IdTokenClaims> {
    return checkIdToken(idToken, this.#keys, { ...this.#rules(), clientId: this.#client.client_id }, expected)
  }

  /**
   * Validates an access token that somebody presents: RS256 with a key of the issuer, issuer, times, and the
   * scopes asked for. Its audience is looked at only when asked for: the contract does not show it. Of up to
   * 4096 tokens it is remembered that their signature held, for as long as their key is one of the issuer's;
   * everything else is looked at each time.
   *
   * @throws {TokenValidationError} `reason` tells why
   * @see service contract, section 5
   *
   * @example
   * const { sub } = await oidc.validateAccessToken(accessToken, { scope: 'profile' })
   */
  async validateAccessToken(
    token: string,
    expected: AccessTokenExpectations = {},
  ): Promise<AccessTokenClaims> {
    return checkAccessToken(token, { keys: this.#keys, seen: this.#seen }, this.#rules(), expected)
  }

  /**
   * Closes the connection pool. Nobody needs it for the process to exit by itself.
   *
   * @example
   * await oidc.close()
   */
  close(): Promise<void> {
    return this.#http.close()
  }

  async #exchange(
    params: ExchangeParams,
    options: RequestOptions | undefined,
  ): Promise<WithResponse<TokenSet>> {
    const { code, redirectUri, codeVerifier, nonce }: Partial<ExchangeParams> = params ?? {}
    const body = {
      grant_type: grantTypes.code,
      ...this.#client,
      code,
      redirect_uri: this.#redirect(redirectUri, exchangeCode.operation),
      ...(codeVerifier === undefined ? {} : { code_verifier: codeVerifier }),
    }
    const answer = await this.#http.send(exchangeCode, { body }, options).withResponse()
    if (!answer.data.id_token) {
      throw new TokenValidationError('missing_claim', 'the answer has no id_token', { claim: 'id_token' })
    }
    return this.#tokenSet(answer, { nonce, accessToken: answer.data.access_token })
  }

  async #refresh(
    refreshToken: string,
    { expected, ...options }: RefreshParams,
  ): Promise<WithResponse<TokenSet>> {
    const body = { grant_type: grantTypes.refresh, refresh_token: refreshToken, ...this.#client }
    const answer = await this.#http.send(refreshTokens, { body }, options).withResponse()
    const renewed = await this.#tokenSet(answer, { accessToken: answer.data.access_token })
    const { claims } = renewed.data
    if (claims && expected?.sub !== undefined && claims.sub !== expected.sub) {
      throw new TokenValidationError('subject_mismatch', 'the new tokens are for somebody else', {
        claim: 'sub',
      })
    }
    if (claims && expected?.iss !== undefined && claims.iss !== expected.iss) {
      throw new TokenValidationError('issuer_mismatch', 'the new tokens are from another issuer', {
        claim: 'iss',
      })
    }
    return renewed
  }

  async #tokenSet(
    { data, response }: WithResponse<TokenResponse>,
    expected: IdTokenExpectations,
  ): Promise<WithResponse<TokenSet>> {
    const expires_at = Math.floor(this.#http.timing.wallClock() / 1000 + data.expires_in)
    // What we add is ours alone: a member of that name in the answer was validated by nobody.
    const { claims: _, ...fields } = data
    if (!data.id_token) return { data: { ...fields, expires_at } as TokenSet, response }
    const claims = await this.validateIdToken(data.id_token, expected)
    return { data: { ...fields, expires_at, claims } as TokenSet, response }
  }

  #rules(): ClaimRules {
    const now = this.#http.timing.wallClock() / 1000
    return { issuers: this.#issuers, now, toleranceSeconds: this.#toleranceSeconds }
  }

  #redirect(given: string | undefined, operation: string): string {
    const redirectUri = given ?? this.#redirectUri
    if (redirectUri !== undefined && URL.canParse(redirectUri)) return redirectUri
    throw badParam('redirectUri', 'must be an absolute URL, here or in the options of the client', operation)
  }
}

const scopeListForm = "must be a list of names, such as ['openid', 'profile']"

const badParam = (path: string, message: string, operation: string) =>
  new InvalidParamsError([{ path, message }], { operation, attempts: 0 })
