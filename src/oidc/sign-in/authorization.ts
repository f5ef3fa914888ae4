import { equalBytes } from '#platform'
import {
  authorize,
  authorizeParameters,
  callbackParameters,
  challengeMethod,
  requiredScope,
  responseType,
  type Scope,
} from '../../contract/sign-in/oidc.ts'
import { CallbackError } from '../../errors/sign-in-errors.ts'
import { toBase64url } from '../../runtime/base64url.ts'

/** What starts one sign-in. */
export interface AuthorizationParams {
  /** `openid` is added where it is missing. @default the client's */
  readonly scope?: readonly Scope[] | undefined
  /** Exactly as registered. @default the client's */
  readonly redirectUri?: string | undefined
  /** Binds the code to this sign-in (RFC 7636, S256). @default true */
  readonly pkce?: boolean | undefined
}

/** One sign-in under way. Keep it, bound to this browser, until the callback; its values are secrets. */
export interface Authorization {
  /** Where the browser goes. */
  readonly url: string
  /** Comes back with the callback, unchanged. */
  readonly state: string
  /** Comes back in the id_token. */
  readonly nonce: string
  /** Missing without PKCE. */
  readonly codeVerifier?: string
  /** What the exchange must name again. */
  readonly redirectUri: string
}

/** RFC 6749, section 3.3. */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Whether it is a list of scopes. One string of several would be taken letter by letter. */
export const isScopeList = (scope: unknown): boolean =>
  Array.isArray(scope) && scope.every((name) => typeof name === 'string' && scopeForm.test(name))

/** 256 bits. */
const randomText = () => toBase64url(crypto.getRandomValues(new Uint8Array(32)))

async function challengeOf(verifier: string): Promise<string> {
  return toBase64url(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
  )
}

export async function createAuthorization(
  client: { readonly baseUrl: string; readonly clientId: string },
  { scope, redirectUri, pkce }: { scope: readonly string[]; redirectUri: string; pkce: boolean },
): Promise<Authorization> {
  const state = randomText()
  const nonce = randomText()
  const url = new URL(`${client.baseUrl}${authorize.path}`)
  const query: Record<string, string> = {
    [authorizeParameters.clientId]: client.clientId,
    [authorizeParameters.redirectUri]: redirectUri,
    [authorizeParameters.responseType]: responseType,
    [authorizeParameters.scope]: [...new Set([requiredScope, ...scope])].join(' '),
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

/** A callback as a framework hands it over; of a URL the query counts, and a relative one will do. */
export type Callback = string | URL | URLSearchParams | Request

/**
 * Reads the code out of a callback that answers this sign-in.
 *
 * @throws {CallbackError}
 */
export function readCallback(
  callback: Callback,
  expected: { state: unknown; issuers: readonly string[] },
): string {
  const query = queryOf(callback)
  for (const name of Object.values(callbackParameters)) {
    if (query.getAll(name).length > 1) {
      throw new CallbackError('repeated_parameter', `the callback has ${name} more than once`)
    }
  }
  const error = query.get(callbackParameters.error)
  if (error !== null) {
    // Whoever sent the browser here wrote it: a code is repeated, a sentence or a page is not.
    const code = /^[\w.-]{1,64}$/.test(error) ? error : 'unreadable'
    throw new CallbackError('authorization_error', `the sign-in was not granted: ${code}`, code)
  }
  const code = query.get(callbackParameters.code)
  if (!code) throw new CallbackError('missing_code', 'the callback has no code')
  if (!isSame(query.get(callbackParameters.state) ?? '', expected.state)) {
    throw new CallbackError('state_mismatch', 'state mismatch')
  }
  const issuer = query.get(callbackParameters.issuer)
  if (issuer !== null && !expected.issuers.includes(issuer)) {
    throw new CallbackError('issuer_mismatch', 'the callback is from another issuer')
  }
  return code
}

function queryOf(callback: Callback): URLSearchParams {
  if (callback instanceof URLSearchParams) return callback
  const address = typeof callback === 'object' && 'url' in callback ? callback.url : String(callback)
  const [beforeFragment = ''] = address.split('#')
  const start = beforeFragment.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : beforeFragment.slice(start + 1))
}

const encoder = new TextEncoder()

// A sign-in that was lost on the way has no state, or an empty one: a callback without any must not equal it.
const isSame = (given: string, expected: unknown) =>
  typeof expected === 'string' &&
  expected !== '' &&
  equalBytes(encoder.encode(given), encoder.encode(expected))
