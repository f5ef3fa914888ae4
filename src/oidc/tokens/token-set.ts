import type { TokenResponse } from '../../contract/sign-in/oidc.ts'
import type { RequestOptions } from '../../http/params/options.ts'
import type { Authorization } from '../sign-in/authorization.ts'
import type { IdTokenClaims } from '../validation/claims.ts'

/** Tokens as the service sent them, with what we made of them. It is the caller's data: keep it safe. */
export interface TokenSet extends TokenResponse {
  /** When the access token ends, in seconds since the epoch, by this machine's clock. */
  readonly expires_at: number
  /** Of the id_token, validated; missing where none came. */
  readonly claims?: IdTokenClaims
}

/** What a callback is held against: what `createAuthorization` returned. */
export type StartedSignIn = Pick<Authorization, 'state' | 'nonce'> & {
  /** Missing without PKCE. */
  readonly codeVerifier?: string | undefined
  /** The one of the authorization. @default the client's */
  readonly redirectUri?: string | undefined
}

/** What a code is exchanged with. */
export interface ExchangeParams {
  /** Good once, for 2 minutes. */
  readonly code: string
  /** The one of the authorization. @default the client's */
  readonly redirectUri?: string | undefined
  /** Where the authorization used PKCE. */
  readonly codeVerifier?: string | undefined
  /** Checked against the id_token. */
  readonly nonce?: string | undefined
}

/** What a refresh is held against. */
export interface RefreshParams extends RequestOptions {
  /** Whose tokens these are: an id_token for somebody else is refused. */
  readonly expected?:
    | {
        /** The person. */
        readonly sub?: string | undefined
        /** The issuer. */
        readonly iss?: string | undefined
      }
    | undefined
}
