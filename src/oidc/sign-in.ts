import { equalBytes, hmacSha256 } from '#platform'
import { callbackParameters } from '../contract/oidc.ts'
import { ConfigurationError } from '../errors/sdk-error.ts'
import { CallbackError } from '../errors/sign-in-errors.ts'
import type { Store } from '../stores/store.ts'
import type { Authorization } from './authorization.ts'
import { fromBase64url, isBase64url, toBase64url } from './base64url.ts'
import type { OidcClient, TokenSet } from './client.ts'

/** What the sign-in of a web app is made of, whatever its framework. */
export interface SignInOptions {
  readonly oidc: OidcClient
  /** Keeps sign-ins under way: shared by all processes that take callbacks. */
  readonly store: Store
  /** Signs the cookie that binds a sign-in to its browser: at least 32 characters. Several, to rotate: the first signs. */
  readonly cookieSecret: string | readonly string[]
  /** Where the routes are. @default '/login' and '/callback' */
  readonly paths?: { readonly login?: string | undefined; readonly callback?: string | undefined } | undefined
}

/** How long a person may take at the consent page. */
const patienceMs = 600_000
const shortestSecret = 32
const cookiePrefix = 'svc_sign_in_'

/** The two steps of a sign-in: sending the browser away, and taking it back. */
export class SignIn {
  readonly paths: { readonly login: string; readonly callback: string }
  readonly #options: SignInOptions
  readonly #secrets: readonly string[]

  /** @throws {ConfigurationError} */
  constructor(options: SignInOptions) {
    this.#options = { ...options }
    this.#secrets = [options.cookieSecret].flat()
    if (this.#secrets.length === 0 || !this.#secrets.every((secret) => isLongEnough(secret))) {
      throw new ConfigurationError(`cookieSecret must have at least ${shortestSecret} characters`)
    }
    const { login = '/login', callback = '/callback' } = options.paths ?? {}
    this.paths = { login, callback }
  }

  /** Begins a sign-in: the browser takes the cookie and goes to the location. */
  async begin(): Promise<{ readonly location: string; readonly cookie: string }> {
    const { oidc, store } = this.#options
    const { url, ...kept } = await oidc.createAuthorization()
    await store.set(keyOf(kept.state), JSON.stringify(kept), { ttlMs: patienceMs })
    const mac = toBase64url(await hmacSha256(this.#secrets[0] as string, kept.state))
    return { location: url, cookie: this.#cookie(kept, mac, patienceMs / 1000) }
  }

  /**
   * Ends a sign-in. The browser must hold the cookie of this very sign-in, which can be ended once.
   *
   * @param query of the callback
   * @throws {CallbackError | TokenValidationError | ApiError}
   */
  async end(
    query: URLSearchParams,
    cookies: string | undefined,
  ): Promise<{ tokens: TokenSet; cookie: string }> {
    const { oidc, store } = this.#options
    const states = query.getAll(callbackParameters.state)
    const state = states.length === 1 ? (states[0] as string) : ''
    const isBound = await this.#isBound(state, cookies)
    const kept = isBound ? await store.take(keyOf(state)) : null
    // Without a sign-in of this browser no state is the right one; what is wrong besides is told first.
    const started: Omit<Authorization, 'url'> = kept === null ? nobodys : JSON.parse(kept)
    const tokens = await oidc.handleCallback(query, started)
    return { tokens, cookie: this.#cookie(started, '', 0) }
  }

  async #isBound(state: string, cookies: string | undefined): Promise<boolean> {
    const name = `${cookieName(state)}=`
    const found = (cookies ?? '').split(/; */).find((pair) => pair.startsWith(name))
    const given = found?.slice(name.length)
    if (given === undefined || !isBase64url(given)) return false
    let isOurs = false
    for (const secret of this.#secrets) {
      isOurs = equalBytes(await hmacSha256(secret, state), fromBase64url(given)) || isOurs
    }
    return isOurs
  }

  /** One cookie a sign-in, so that several tabs do not get in each other's way. */
  #cookie(
    { state, redirectUri }: Pick<Authorization, 'state' | 'redirectUri'>,
    value: string,
    maxAge: number,
  ): string {
    const secure = redirectUri.startsWith('https:') ? '; Secure' : ''
    const path = new URL(redirectUri).pathname
    return `${cookieName(state)}=${value}; Max-Age=${maxAge}; Path=${path}; HttpOnly; SameSite=Lax${secure}`
  }
}

const isLongEnough = (secret: unknown) => typeof secret === 'string' && secret.length >= shortestSecret
const cookieName = (state: string) => `${cookiePrefix}${state.slice(0, 16).replace(/[^\w-]/g, '')}`
const keyOf = (state: string) => `sign-in:${state}`
const nobodys = { state: '', nonce: '', redirectUri: '' }

/** What to answer where a sign-in cannot be ended: a callback that is refused, or a service that did not help. */
export function statusOf(error: unknown): 400 | 502 {
  if (error instanceof CallbackError) return error.statusCode
  const reason = (error as { reason?: unknown; code?: unknown } | null) ?? {}
  return reason.code === 'token_refused' || reason.code === 'invalid_grant' ? 400 : 502
}
