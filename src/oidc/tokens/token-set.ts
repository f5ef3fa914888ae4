import type { TokenResponse } from '../../contract/sign-in/oidc.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import type { AuthorizationRequest } from '../sign-in/authorization.ts'
import type { IdTokenClaims } from '../validation/id-token.ts'

/** Tokens as the service returned them, with their expiry and the validated claims. They are secrets. */
export interface TokenSet extends TokenResponse {
  /** When the access token expires, in seconds since the epoch, by this machine's clock. */
  readonly expires_at: number
  /** The validated claims of the id_token. Missing if the response had no id_token. */
  readonly claims?: IdTokenClaims
}

/** What a callback is compared with: what `createAuthorization` returned. */
export type StartedSignIn = Pick<AuthorizationRequest, 'state' | 'nonce'> & {
  /** The PKCE verifier. Missing if the sign-in was started without PKCE. */
  readonly codeVerifier?: string | undefined
  /** The redirect URI of the authorization request. @default the client's */
  readonly redirectUri?: string | undefined
}

/** Params of a code exchange. */
export interface ExchangeParams {
  /** The code of the callback. It can be used once, within 2 minutes. */
  readonly code: string
  /** The redirect URI of the authorization request. @default the client's */
  readonly redirectUri?: string | undefined
  /** The PKCE verifier. Required if the authorization request used PKCE. */
  readonly codeVerifier?: string | undefined
  /** The nonce that the id_token must have. */
  readonly nonce?: string | undefined
}

/** Params and options of a refresh. */
export interface RefreshParams extends RequestOptions {
  /** Whose tokens these are. An id_token of another person or issuer is rejected. */
  readonly expected?:
    | {
        /** The person's `sub`. */
        readonly sub?: string | undefined
        /** The issuer. */
        readonly iss?: string | undefined
      }
    | undefined
}
