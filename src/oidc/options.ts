import type { Scope } from '../contract/sign-in/oidc.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import type { ClientOptions } from '../http/params/options.ts'
import type { JwksOptions } from './validation/options.ts'

/** Read once, by the constructor. Later changes to the object have no effect. */
export interface OidcClientOptions extends ClientOptions {
  /**
   * Of the application, as it is registered.
   *
   * @default env `SVC_CLIENT_ID`
   */
  readonly clientId?: string | undefined
  /** Never leaves the server and is never logged. @default env `SVC_CLIENT_SECRET` */
  readonly clientSecret?: string | undefined
  /** Exactly as registered. Never taken from a request. @default none: each sign-in names its own */
  readonly redirectUri?: string | undefined
  /**
   * What is asked for unless a sign-in says otherwise; `openid` is always among it.
   *
   * @default ['openid']
   */
  readonly scope?: readonly Scope[] | undefined
  /** Who may have issued tokens. @default `baseUrl` without a trailing slash */
  readonly issuer?: string | readonly string[] | undefined
  /** How far clocks may differ, in seconds, 0 to 300. @default 30 */
  readonly clockToleranceSeconds?: number | undefined
  /** How the issuer's keys are kept. @default see each of its options */
  readonly jwks?: JwksOptions | undefined
}

/**
 * A credential that can be one.
 *
 * @throws {ConfigurationError}
 */
export function credential(name: string, value: string | undefined): string {
  if (typeof value === 'string' && value.trim() !== '') return value
  throw new ConfigurationError(`${name} must be a string that is not blank`)
}
