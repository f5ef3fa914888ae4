import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import { checkMethods } from '../../errors/check-methods.ts'
import type { OptionNames } from '../../errors/option-names.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import { environment } from '../../runtime/environment.ts'
import type { Logger } from '../../runtime/logger.ts'
import { guardedStore } from '../../stores/guarded-store.ts'
import type { Store } from '../../stores/store.ts'
import type { SignedInTokens, StartedSignIn } from '../tokens/token-set.ts'
import type { AuthorizationRequest } from './authorization.ts'
import { lostHint, readCallback, stateMismatch } from './callback.ts'
import { minCookieSecretLength, SignInCookies } from './sign-in-cookies.ts'

/** What the sign-in of a web app needs of a client. An `OidcClient` has it, and so can a fake of your tests. */
export interface SignInClient {
  /** The callback URL. A client that has this property must have a value. @default unknown */
  readonly redirectUri?: string | undefined
  /**
   * Starts a sign-in.
   *
   * @see service contract, section 4.7
   *
   * @example
   * const { url, ...started } = await oidc.createAuthorization()
   */
  createAuthorization(): PromiseLike<AuthorizationRequest>
  /**
   * Finishes a sign-in.
   *
   * @param callback the query of the callback
   * @param started what `createAuthorization` returned for this browser, without its URL
   * @throws {CallbackError | TokenValidationError} the callback or the id_token was rejected
   * @see service contract, section 4.7
   *
   * @example
   * const { claims } = await oidc.handleCallback(new URL(req.url).searchParams, login)
   */
  handleCallback(callback: URLSearchParams, started: StartedSignIn): PromiseLike<SignedInTokens>
}

/** Options of the sign-in of a web app, for every framework. */
export interface SignInOptions {
  /** The client that signs people in. Its `redirectUri` must lead to the callback route. */
  readonly oidc: SignInClient
  /** Stores sign-ins between login and callback. Use a shared store if you run more than one process. */
  readonly store: Store
  /**
   * Signs the cookie that binds a sign-in to its browser: at least 32 characters. To rotate it, pass several: the first
   * one signs, and all are accepted.
   *
   * @default env `SVC_COOKIE_SECRET`
   */
  readonly cookieSecret?: string | readonly string[] | undefined
  /**
   * Receives log records: what the app or the service failed at, and why sign-ins were rejected. They contain no
   * secrets and no personal data.
   *
   * @default none: without `onError` too, they are written to `console.error`, rejections at most once a minute for each
   *   reason
   */
  readonly logger?: Logger | undefined
  /** The paths of the two routes. Each starts with `/`. @default '/login' and '/callback' */
  readonly paths?:
    | {
        /** Redirects the browser to the service. @default '/login' */
        readonly login?: string | undefined
        /** Receives the browser again. Must be the path of the client's `redirectUri`. @default '/callback' */
        readonly callback?: string | undefined
      }
    | undefined
}

/** A person has signed in. */
export interface FinishedSignIn {
  readonly tokens: SignedInTokens
  /** The `Set-Cookie` value that deletes the cookie of this sign-in. */
  readonly cookie: string
}

/** What is stored between login and callback. */
type StoredSignIn = Omit<AuthorizationRequest, 'url'>

/** The names of {@link SignInOptions}. */
export const signInOptionNames = {
  oidc: true,
  store: true,
  cookieSecret: true,
  logger: true,
  paths: true,
} as const satisfies OptionNames<SignInOptions>

/** The time that a person has on the consent page. */
const signInTtlMs = 600_000

/** The two steps of a sign-in: the redirect to the service, and the callback. */
export class SignIn {
  readonly #oidc: SignInClient
  readonly #store: Store
  readonly #cookies: SignInCookies

  /** @throws {ConfigurationError} an option is missing or invalid */
  constructor({ oidc, store, cookieSecret }: SignInOptions) {
    checkClient(oidc)
    this.#oidc = oidc
    this.#store = guardedStore(store, 'the store of sign-ins')
    this.#cookies = new SignInCookies(readSecrets(cookieSecret))
  }

  /** Starts a sign-in. Redirect the browser to the location, with the cookie. */
  async start(): Promise<{ readonly location: string; readonly cookie: string }> {
    const { url, ...started } = await this.#oidc.createAuthorization()
    await this.#store.set(keyOf(started.state), JSON.stringify(started), { ttlMs: signInTtlMs })
    return { location: url, cookie: await this.#cookies.create(started, signInTtlMs) }
  }

  /**
   * Finishes a sign-in. The browser must have the cookie of this sign-in, and a sign-in can be finished only once.
   *
   * @param query the query of the callback
   * @param cookies the `Cookie` header of the request
   * @throws {CallbackError | TokenValidationError | ApiError | StoreError}
   */
  async finish(query: URLSearchParams, cookies: string | undefined): Promise<FinishedSignIn> {
    const { started, hint } = await this.#takeStarted(query, cookies)
    if (started === undefined) {
      // Other faults of the callback are the more helpful reason.
      readCallback(query)
      throw stateMismatch(hint)
    }
    const tokens = await this.#oidc.handleCallback(query, started)
    return { tokens, cookie: this.#cookies.remove(started) }
  }

  /** Takes the sign-in of the callback's state from the store, if it was started in this browser. */
  async #takeStarted(
    query: URLSearchParams,
    cookies: string | undefined,
  ): Promise<
    | { readonly started: StoredSignIn; readonly hint?: never }
    | { readonly started?: never; readonly hint: string }
  > {
    const [state, ...others] = query.getAll(callbackParameters.state)
    if (state === undefined || others.length > 0) return { hint: 'The callback has no state.' }
    if (!(await this.#cookies.isBound(cookies, state))) return { hint: lostHint(this.#oidc.redirectUri) }
    const stored = await this.#store.take(keyOf(state))
    return stored === null ? { hint: takenHint } : { started: JSON.parse(stored) }
  }
}

const takenHint =
  'The store has no such sign-in: it was finished before, it is older than 10 minutes, or the processes of the app do not share a store.'

/** @throws {ConfigurationError} it is not a client, or has no redirect URI */
function checkClient(oidc: SignInClient): void {
  checkMethods('oidc', oidc, ['createAuthorization', 'handleCallback'], 'an OidcClient')
  if ('redirectUri' in oidc && oidc.redirectUri === undefined) {
    const message =
      'the client has no redirectUri, and it is never taken from a request: pass redirectUri to OidcClient'
    throw new ConfigurationError({ message })
  }
}

/** @throws {ConfigurationError} the secret is missing, or one is too short */
function readSecrets(given: SignInOptions['cookieSecret']): readonly string[] {
  const variable = 'SVC_COOKIE_SECRET'
  const secret = given ?? environment(variable)
  if (secret === undefined)
    throw new ConfigurationError({ message: `cookieSecret is missing: pass it, or set ${variable}` })
  const secrets = [secret].flat()
  if (secrets.length > 0 && secrets.every(isLongEnough)) return secrets
  const source = given === undefined ? `: check ${variable}` : ''
  const message = `cookieSecret must have at least ${minCookieSecretLength} characters${source}`
  throw new ConfigurationError({ message })
}

const isLongEnough = (secret: unknown) => typeof secret === 'string' && secret.length >= minCookieSecretLength

const keyOf = (state: string) => `sign-in:${state}`
