import {
  authorize,
  authorizeParameters,
  challengeMethod,
  requiredScope,
  responseType,
  type Scope,
} from '../../contract/sign-in/oidc.ts'
import { toBase64url } from '../../runtime/bytes.ts'

/** Params of an authorization request. `Pkce` is the type of `pkce`. */
export interface AuthorizationParams<Pkce extends boolean = boolean> {
  /** Scopes to request. `openid` is always added. @default the client's */
  readonly scope?: readonly Scope[] | undefined
  /** The callback URL, exactly as registered. @default the client's, if it has one only */
  readonly redirectUri?: string | undefined
  /** Whether to bind the code to this sign-in with PKCE (RFC 7636, S256). @default true */
  readonly pkce?: Pkce | undefined
}

/**
 * A sign-in that was started. Keep it for this browser until the callback. Its values are secrets. `Verifier` is
 * `string | undefined` if `pkce` may be false.
 */
export interface AuthorizationRequest<Verifier extends string | undefined = string> {
  /** The URL to redirect the browser to. */
  readonly url: string
  /** The callback must have the same state. */
  readonly state: string
  /** The id_token must have the same nonce. */
  readonly nonce: string
  /** The PKCE verifier. Missing if `pkce` was false. */
  readonly codeVerifier: Verifier
  /** The callback URL. The code exchange must send the same one. */
  readonly redirectUri: string
}

/** The same, as it is created: without the key `codeVerifier` if `pkce` was false. */
export type CreatedAuthorization = Omit<AuthorizationRequest, 'codeVerifier'> & {
  readonly codeVerifier?: string | undefined
}

/** RFC 6749, section 3.3. */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether it is a list of scopes. A string of several scopes is not, because it would be sent as one scope. */
export const isScopeList = (scope: unknown): boolean =>
  Array.isArray(scope) && scope.every((name) => typeof name === 'string' && scopeForm.test(name))

/** Returns scopes as they are sent. */
export const scopeText = (scope: readonly string[]): string => [...new Set([requiredScope, ...scope])].join(' ')

/** Returns 256 random bits. */
const randomText = () => toBase64url(crypto.getRandomValues(new Uint8Array(32)))

async function challengeOf(verifier: string): Promise<string> {
  return toBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

export async function createAuthorization(
  client: { readonly baseUrl: string; readonly clientId: string },
  { scope, redirectUri, pkce }: { scope: readonly string[]; redirectUri: string; pkce: boolean },
): Promise<CreatedAuthorization> {
  const state = randomText()
  const nonce = randomText()
  const url = new URL(`${client.baseUrl}${authorize.path}`)
  const query: Record<string, string> = {
    [authorizeParameters.clientId]: client.clientId,
    [authorizeParameters.redirectUri]: redirectUri,
    [authorizeParameters.responseType]: responseType,
    [authorizeParameters.scope]: scopeText(scope),
    [authorizeParameters.state]: state,
    [authorizeParameters.nonce]: nonce,
  }
  const codeVerifier = pkce ? randomText() : undefined
  if (codeVerifier !== undefined) {
    query[authorizeParameters.codeChallenge] = await challengeOf(codeVerifier)
    query[authorizeParameters.codeChallengeMethod] = challengeMethod
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const started = { url: url.href, state, nonce, redirectUri }
  return codeVerifier === undefined ? started : { ...started, codeVerifier }
}
