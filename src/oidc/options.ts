import type { Scope } from '../contract/sign-in/oidc.ts'
import { type ClientOptions, clientOptionRules } from '../http/params/options.ts'
import { joinRules, type Rule } from '../options/rules.ts'

/** Options of an {@link OidcClient}, in addition to those of every client. */
export interface OidcOptions {
  /**
   * The application's client id, as registered with the service.
   *
   * @default env `SVC_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /**
   * The application's client secret. It is sent only to the token endpoint and is never logged.
   *
   * @default env `SVC_CLIENT_SECRET`
   */
  readonly clientSecret?: string | undefined
  /**
   * The callback URL, exactly as registered: https, http to a loopback host, or a private-use scheme with a dot, such
   * as `com.example.app:/callback` (RFC 8252). It is never taken from a request. If people open the app at several
   * origins, pass one for each: `expressSignIn` and `createSignInHandler` select the one with the origin of the request,
   * and each call of `createAuthorization` must pass one.
   *
   * @default none: pass one to each sign-in
   */
  readonly redirectUri?: string | readonly string[] | undefined
  /**
   * Scopes to request, unless a sign-in passes its own. `openid` is always added.
   *
   * @default ['openid']
   */
  readonly scope?: readonly Scope[] | undefined
  /** The accepted issuer of tokens, or several. @default `baseUrl` without a trailing slash */
  readonly issuer?: string | readonly string[] | undefined
  /** Maximum difference between the clocks of this machine and the issuer, in seconds, 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number | undefined
  /** How the issuer's keys are fetched and cached. @default see each of its options */
  readonly jwks?: JwksOptions | undefined
}

/** Options of an {@link OidcClient}. The constructor reads them once. Later changes to the object have no effect. */
export type OidcClientOptions = OidcOptions & ClientOptions

export const defaultToleranceSeconds = 30
export const clockToleranceSeconds: Rule = {
  form: 'be a number from 0 to 300',
  allows: (seconds) => typeof seconds === 'number' && seconds >= 0 && seconds <= 300,
}

export const optionRules = /* @__PURE__ */ joinRules(clientOptionRules, {
  clientId: true,
  clientSecret: true,
  redirectUri: true,
  scope: true,
  issuer: true,
  clockToleranceSeconds,
  jwks: true,
})

/** How the issuer's keys are fetched and cached. */
export interface JwksOptions {
  /** How long a fetched key set is used before it is fetched again, in milliseconds, 0 or more. @default 600_000 */
  readonly cacheMs?: number | undefined
  /**
   * How much longer fetched keys stay in use if the endpoint fails, in milliseconds, 0 or more.
   *
   * @default 3_600_000
   */
  readonly maxStaleMs?: number | undefined
  /** Maximum time for one request to the endpoint, in milliseconds. @default 5_000 */
  readonly timeoutMs?: number | undefined
}
