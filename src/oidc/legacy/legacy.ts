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
import { InvalidParamsError } from '../../errors/call-errors.ts'
import { ApiPromise } from '../../http/api-promise.ts'
import type { HttpClient } from '../../http/http-client.ts'
import { fitsHeader, type RequestOptions } from '../../http/params/options.ts'

/** What a code of the legacy sign-on is exchanged with. */
export interface LegacyExchangeParams {
  /** Good once, for 2 minutes. */
  readonly code: string
  /** Checked where it is given; the service means to require it. */
  readonly redirectUri?: string | undefined
}

/** How a legacy refresh is asked for. */
export interface LegacyRefreshParams extends RequestOptions {
  /** Where the client's credentials go: among the fields, or as HTTP Basic. @default 'body' */
  readonly auth?: 'body' | 'basic' | undefined
  /** Whether a new refresh token is wanted. @default true, by the service */
  readonly rotate_refresh?: boolean | undefined
}

/**
 * The third-party sign-on before OpenID Connect. Reached as `oidc.legacy`.
 *
 * @deprecated The service has removed these endpoints: they answer 410 `endpoint_removed`, and the error names
 *   what to call instead.
 */
export class Legacy {
  readonly #http: HttpClient
  readonly #client: { readonly client_id: string; readonly client_secret: string }

  /** @internal */
  constructor(http: HttpClient, client: { readonly client_id: string; readonly client_secret: string }) {
    this.#http = http
    this.#client = client
  }

  /**
   * Exchanges a code of the legacy sign-on.
   *
   * @deprecated Use `oidc.exchangeCode`, or `oidc.handleCallback`.
   * @throws {GoneError} `endpoint_removed`
   * @see service contract, section 4.8
   *
   * @example
   * const { user } = await oidc.legacy.exchangeCode({ code })
   */
  exchangeCode(
    { code, redirectUri }: LegacyExchangeParams,
    options?: RequestOptions,
  ): ApiPromise<LegacyTokenSet> {
    const redirect = redirectUri === undefined ? {} : { redirect_uri: redirectUri }
    const body = { grant_type: grantTypes.code, ...this.#client, code, ...redirect }
    return this.#http.send(legacyExchangeCode, { body }, options)
  }

  /**
   * Reads the account of the person who signed in.
   *
   * @deprecated Read the claims of the id_token instead.
   * @throws {GoneError} `endpoint_removed`
   * @see service contract, section 4.8: needs the scope `profile`
   *
   * @example
   * const { sub } = await oidc.legacy.userinfo(accessToken)
   */
  userinfo(accessToken: string, options?: RequestOptions): ApiPromise<LegacyUserInfo> {
    return this.#read(legacyUserinfo, accessToken, options)
  }

  /**
   * Lists the licences on the account.
   *
   * @deprecated
   * @throws {GoneError} `endpoint_removed`
   * @see service contract, section 4.8
   *
   * @example
   * const licenses = await oidc.legacy.licenses(accessToken)
   */
  licenses(accessToken: string, options?: RequestOptions): ApiPromise<readonly LegacyLicense[]> {
    return this.#read(legacyListLicenses, accessToken, options)
  }

  /**
   * Reads what was verified about the account.
   *
   * @deprecated
   * @throws {GoneError} `endpoint_removed`
   * @see service contract, section 4.8: needs the scope `verifications`
   *
   * @example
   * const { human_verified } = await oidc.legacy.verifications(accessToken)
   */
  verifications(accessToken: string, options?: RequestOptions): ApiPromise<LegacyVerifications> {
    return this.#read(legacyListVerifications, accessToken, options)
  }

  /**
   * Gets new tokens. Never repeated once it was sent.
   *
   * @deprecated Use `oidc.refresh`.
   * @throws {GoneError} `endpoint_removed`
   * @see service contract, section 4.8
   *
   * @example
   * const { access_token } = await oidc.legacy.refresh(refreshToken)
   */
  refresh(
    refreshToken: string,
    { auth = 'body', rotate_refresh, ...options }: LegacyRefreshParams = {},
  ): ApiPromise<LegacyTokens> {
    const rotation = rotate_refresh === undefined ? {} : { rotate_refresh }
    const token = { refresh_token: refreshToken, ...rotation }
    if (auth === 'body')
      return this.#http.send(legacyRefresh, { body: { ...token, ...this.#client } }, options)
    const { client_id, client_secret } = this.#client
    // RFC 6749, section 2.3.1: each half is form-encoded before they are joined.
    const pair = btoa(`${encodeURIComponent(client_id)}:${encodeURIComponent(client_secret)}`)
    return this.#http.send(legacyRefresh, { body: token, authorization: `Basic ${pair}` }, options)
  }

  #read<Response>(
    endpoint: Endpoint<unknown, unknown, Response>,
    accessToken: string,
    options: RequestOptions | undefined,
  ): ApiPromise<Response> {
    if (typeof accessToken === 'string' && fitsHeader(accessToken)) {
      return this.#http.send(endpoint, { authorization: `Bearer ${accessToken}` }, options)
    }
    const issue = { path: 'accessToken', message: 'must be a string that fits a header' }
    const refusal = new InvalidParamsError([issue], { operation: endpoint.operation, attempts: 0 })
    return new ApiPromise<Response>(Promise.reject(refusal))
  }
}
