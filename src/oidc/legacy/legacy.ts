import type { Endpoint } from '../../contract/endpoint.ts'
import {
  type LegacyLicense,
  type LegacyTokenSet,
  type LegacyTokens,
  type LegacyUserInfo,
  type LegacyVerifications,
  legacyExchangeCode,
  legacyListLicenses,
  legacyListVerifications,
  legacyRefresh,
  legacyUserinfo,
} from '../../contract/sign-in/legacy.ts'
import { grantTypes } from '../../contract/sign-in/oidc.ts'
import { invalidParam } from '../../errors/call-errors.ts'
import { type ApiPromise, CallPromise, type WithResponse } from '../../http/exchange/api-promise.ts'
import { bearer } from '../../http/exchange/request-headers.ts'
import type { HttpClient } from '../../http/http-client.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import { isRedirectUri, redirectUriForm } from '../../runtime/secure-url.ts'

/** Params of a code exchange of the legacy sign-on. */
export interface LegacyExchangeParams {
  /** The code of the callback. It can be used once, within 2 minutes. */
  readonly code: string
  /** The redirect URI. The service checks it if it is sent, and plans to require it. @default the client's */
  readonly redirectUri?: string | undefined
}

/** Params of a refresh of the legacy sign-on. */
export interface LegacyRefreshParams {
  /** Where the client's credentials are sent: in the body, or as HTTP Basic. @default 'body' */
  readonly auth?: 'body' | 'basic' | undefined
  /** Whether the service returns a new refresh token. @default true, by the service */
  readonly rotate_refresh?: boolean | undefined
}

/**
 * The third-party sign-on that preceded OpenID Connect, available as `oidc.legacy`.
 *
 * @deprecated The service has removed these endpoints. They return 410 `endpoint_removed`, and the error names the
 *   method to call instead.
 */
export interface Legacy {
  /**
   * Exchanges a code of the legacy sign-on.
   *
   * @deprecated Use `oidc.exchangeCode`, or `oidc.handleCallback`.
   * @throws {GoneError} `endpoint_removed`
   *
   * @example
   * const { user } = await oidc.legacy.exchangeCode({ code })
   */
  exchangeCode(params: LegacyExchangeParams, options?: RequestOptions): ApiPromise<LegacyTokenSet>

  /**
   * Returns the account of the person who signed in.
   *
   * @deprecated Read the claims of the id_token instead.
   * @throws {GoneError} `endpoint_removed`
   *
   * @example
   * const { sub } = await oidc.legacy.userinfo(accessToken)
   */
  userinfo(accessToken: string, options?: RequestOptions): ApiPromise<LegacyUserInfo>

  /**
   * Returns the licenses on the account.
   *
   * @deprecated
   * @throws {GoneError} `endpoint_removed`
   *
   * @example
   * const licenses = await oidc.legacy.licenses(accessToken)
   */
  licenses(accessToken: string, options?: RequestOptions): ApiPromise<LegacyLicense[]>

  /**
   * Returns what was verified about the account.
   *
   * @deprecated
   * @throws {GoneError} `endpoint_removed`
   *
   * @example
   * const { human_verified } = await oidc.legacy.verifications(accessToken)
   */
  verifications(accessToken: string, options?: RequestOptions): ApiPromise<LegacyVerifications>

  /**
   * Exchanges a refresh token for new tokens. The request is never retried after it was sent.
   *
   * @deprecated Use `oidc.refresh`.
   * @throws {GoneError} `endpoint_removed`
   *
   * @example
   * const { access_token } = await oidc.legacy.refresh(refreshToken)
   */
  refresh(refreshToken: string, params?: LegacyRefreshParams, options?: RequestOptions): ApiPromise<LegacyTokens>
}

/** Sends the calls of {@link Legacy}. */
export class LegacySignOn implements Legacy {
  readonly #http: HttpClient
  readonly #credentials: { readonly client_id: string; readonly client_secret: string }
  readonly #redirectUri: string | undefined

  constructor(
    http: HttpClient,
    credentials: { readonly client_id: string; readonly client_secret: string },
    redirectUri: string | undefined,
  ) {
    this.#http = http
    this.#credentials = credentials
    this.#redirectUri = redirectUri
  }

  exchangeCode(params: LegacyExchangeParams, options?: RequestOptions): ApiPromise<LegacyTokenSet> {
    return new CallPromise(this.#exchange(params, options))
  }

  async #exchange(
    { code, redirectUri = this.#redirectUri }: LegacyExchangeParams,
    options: RequestOptions | undefined,
  ): Promise<WithResponse<LegacyTokenSet>> {
    if (redirectUri !== undefined && !isRedirectUri(redirectUri))
      throw invalidParam(legacyExchangeCode.operation, 'redirectUri', redirectUriForm)
    const redirect = redirectUri === undefined ? {} : { redirect_uri: redirectUri }
    const body = { grant_type: grantTypes.code, ...this.#credentials, code, ...redirect }
    return this.#http.send(legacyExchangeCode, { body }, options).withResponse()
  }

  userinfo(accessToken: string, options?: RequestOptions): ApiPromise<LegacyUserInfo> {
    return this.#read(legacyUserinfo, accessToken, options)
  }

  licenses(accessToken: string, options?: RequestOptions): ApiPromise<LegacyLicense[]> {
    return this.#read(legacyListLicenses, accessToken, options)
  }

  verifications(accessToken: string, options?: RequestOptions): ApiPromise<LegacyVerifications> {
    return this.#read(legacyListVerifications, accessToken, options)
  }

  refresh(
    refreshToken: string,
    { auth = 'body', rotate_refresh }: LegacyRefreshParams = {},
    options?: RequestOptions,
  ): ApiPromise<LegacyTokens> {
    const rotation = rotate_refresh === undefined ? {} : { rotate_refresh }
    const token = { refresh_token: refreshToken, ...rotation }
    if (auth === 'body') return this.#http.send(legacyRefresh, { body: { ...token, ...this.#credentials } }, options)
    const { client_id, client_secret } = this.#credentials
    // RFC 6749, section 2.3.1: id and secret are form-encoded before they are joined.
    const pair = btoa(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`)
    return this.#http.send(legacyRefresh, { body: token, authorization: `Basic ${pair}` }, options)
  }

  #read<Response>(
    endpoint: Endpoint<unknown, unknown, Response>,
    accessToken: string,
    options: RequestOptions | undefined,
  ): ApiPromise<Response> {
    try {
      return this.#http.send(endpoint, { authorization: bearer(accessToken, endpoint.operation) }, options)
    } catch (thrown) {
      return new CallPromise<Response>(Promise.reject(thrown))
    }
  }
}
