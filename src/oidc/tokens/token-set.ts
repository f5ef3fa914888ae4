import type { TokenResponse } from '../../contract/sign-in/oidc.ts'
import type { IdTokenClaims } from '../validation/id-token.ts'

/** Tokens as the service returned them, with their expiry and the validated claims. They are secrets. */
export interface TokenSet extends TokenResponse {
  /** When the access token expires, in seconds since the epoch, by this machine's clock. */
  readonly expiresAtSeconds: number
  /** The validated claims of the id_token. Missing if the response had no id_token. */
  readonly claims?: IdTokenClaims | undefined
}

/** The tokens of a sign-in, which always have an id_token. They are secrets. */
export interface SignedInTokens extends TokenSet {
  /** The id_token, an RS256 JWT. It was validated. */
  readonly id_token: string
  /** The validated claims of the id_token. */
  readonly claims: IdTokenClaims
}

/** What a callback is compared with: what `createAuthorization` returned. */
export interface StartedSignIn {
  /** The callback must have the same state. */
  readonly state: string
  /** The id_token must have the same nonce. */
  readonly nonce: string
  /** The PKCE verifier. `undefined` only if the sign-in was started with `pkce: false`. */
  readonly codeVerifier: string | undefined
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

/** Params of a refresh. */
export interface RefreshParams {
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
