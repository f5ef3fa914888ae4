import { equalBytes, hmacSha256 } from '#platform'
import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import { ConfigurationError, type SdkError, storeError } from '../../errors/sdk-error.ts'
import { CallbackError, TokenValidationError } from '../../errors/sign-in-errors.ts'
import { fromBase64url, isBase64url, toBase64url } from '../../runtime/base64url.ts'
import type { Store } from '../../stores/store.ts'
import type { OidcClient } from '../client.ts'
import type { TokenSet } from '../tokens/token-set.ts'
import type { Authorization } from './authorization.ts'

/** What the sign-in of a web app is made of, whatever its framework. */
export interface SignInOptions {
  /** Does the signing in. */
  readonly oidc: OidcClient
  /** Keeps sign-ins under way: shared by all processes that take callbacks. */
  readonly store: Store
  /** Signs the cookie that binds a sign-in to its browser: at least 32 characters. Several, to rotate: the first signs. */
  readonly cookieSecret: string | readonly string[]
  /** Where the routes are. @default '/login' and '/callback' */
  readonly paths?:
    | {
        /** Sends the browser away. */
        readonly login?: string | undefined
        /** Takes it back: the path of the client's `redirectUri`. */
        readonly callback?: string | undefined
      }
    | undefined
}

/** Somebody signed in: who, and the cookie that takes the mark of this sign-in back. */
export interface EndedSignIn {
  readonly tokens: TokenSet
  readonly cookie: string
}

/** How long a person may take at the consent page. */
const signInTtlMs = 600_000
const shortestSecret = 32
/** Browsers let no subdomain and no plain http write a cookie of such a name. */
const hostPrefix = '__Host-'

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
    const { url, ...kept } = await this.#options.oidc.createAuthorization()
    await this.#ask((store) => store.set(keyOf(kept.state), JSON.stringify(kept), { ttlMs: signInTtlMs }))
    const mark = await hmacSha256(this.#secrets[0] as string, marked(cookieName(kept), kept.state))
    return { location: url, cookie: cookie(kept, toBase64url(mark), signInTtlMs / 1000) }
  }

  /**
   * Ends a sign-in. The browser must hold the cookie of this very sign-in, which can be ended once.
   *
   * @param query of the callback
   * @throws {CallbackError | TokenValidationError | ApiError | StoreError}
   */
  async end(query: URLSearchParams, cookies: string | undefined): Promise<EndedSignIn> {
    const states = query.getAll(callbackParameters.state)
    const state = states.length === 1 ? (states[0] as string) : ''
    const isBound = await this.#isBound(state, cookies)
    const kept = isBound ? await this.#ask((store) => store.take(keyOf(state))) : null
    // Without a sign-in of this browser no state is the right one; what is wrong besides is told first.
    const started: Omit<Authorization, 'url'> = kept === null ? nobodys : JSON.parse(kept)
    const tokens = await this.#options.oidc.handleCallback(query, started)
    return { tokens, cookie: cookie(started, '', 0) }
  }

  async #ask<T>(step: (store: Store) => Promise<T>): Promise<T> {
    try {
      return await step(this.#options.store)
    } catch (thrown) {
      throw storeError('the store of sign-ins failed', thrown)
    }
  }

  /** Whether the browser has the cookie of this state, under the very name that it was given. */
  async #isBound(state: string, cookies: string | undefined): Promise<boolean> {
    const names = [hostPrefix, ''].map((prefix) => prefix + shortName(state))
    let isOurs = false
    for (const pair of (cookies ?? '').split(/; */)) {
      const [name = '', given = ''] = pair.split('=')
      if (!names.includes(name) || given === '' || !isBase64url(given)) continue
      for (const secret of this.#secrets) {
        isOurs = equalBytes(await hmacSha256(secret, marked(name, state)), fromBase64url(given)) || isOurs
      }
    }
    return isOurs
  }
}

type Begun = Pick<Authorization, 'state' | 'redirectUri'>

/** One cookie a sign-in, so that several tabs do not get in each other's way. */
function cookie(begun: Begun, value: string, maxAge: number): string {
  const secure = isSecure(begun) ? '; Secure' : ''
  return `${cookieName(begun)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

const isSecure = ({ redirectUri }: Begun) => new URL(redirectUri).protocol === 'https:'
const shortName = (state: string) => `svc_sign_in_${state.slice(0, 16).replace(/[^\w-]/g, '')}`
const cookieName = (begun: Begun) => (isSecure(begun) ? hostPrefix : '') + shortName(begun.state)
/** The name is signed too: a value must not be moved to a cookie that others may write. */
const marked = (name: string, state: string) => `sign-in.${name}.${state}`
const isLongEnough = (secret: unknown) => typeof secret === 'string' && secret.length >= shortestSecret
const keyOf = (state: string) => `sign-in:${state}`
const nobodys = { state: '', nonce: '', redirectUri: '' }

/** What to answer where a sign-in cannot be ended: a callback that is refused, or somebody who did not help. */
export function statusOf(error: SdkError): 400 | 502 | 503 {
  if (error instanceof CallbackError) return error.statusCode
  if (error.code === 'store_failed') return 503
  if (error instanceof TokenValidationError) return error.reason === 'keys_unavailable' ? 502 : 400
  return error.code === 'invalid_grant' ? 400 : 502
}

/** What the browser may know: the callback's own faults, and of others that there was one. */
export const toldTo = (error: SdkError): string =>
  error instanceof CallbackError ? error.message : 'sign-in failed'
