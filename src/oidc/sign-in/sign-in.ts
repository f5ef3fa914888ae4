import { callbackParameters } from '../../contract/sign-in/oidc.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { Stream } from '../../observe/stream.ts'
import { checkMethods, readSecrets } from '../../options/rules.ts'
import { readSetting } from '../../options/settings.ts'
import type { Timing } from '../../runtime/timing.ts'
import { guardedStore } from '../../stores/operation.ts'
import type { Store } from '../../stores/store.ts'
import { keyAdvice, secretAdvice } from '../key-command.ts'
import type { SignedInTokens, StartedSignIn } from '../tokens/token-set.ts'
import { useOnce } from '../use-once.ts'
import type { AuthorizationRequest } from './authorization.ts'
import { lostHint, readCallback, stateMismatch } from './callback.ts'
import {
  isCookieSecret,
  minCookieSecretLength,
  type PendingSignIn,
  SignInCookies,
  type SignInFault,
  signInTtlMs,
} from './sign-in-cookies.ts'

/** What the sign-in of a web app needs of a client. An `OidcClient` has it, and so can a fake of your tests. */
export interface SignInClient {
  /** The callback URL, or several of different origins. A client that has this property must have a value. @default unknown */
  readonly redirectUri?: string | readonly string[] | undefined
  /**
   * Starts a sign-in.
   *
   * @param params `redirectUri`: the one that was selected
   *
   * @example
   * const { url, ...started } = await oidc.createAuthorization({ redirectUri: 'http://localhost:3000/callback' })
   */
  createAuthorization(params: { readonly redirectUri?: string | undefined }): PromiseLike<AuthorizationRequest>
  /**
   * Finishes a sign-in.
   *
   * @param callback the query of the callback
   * @param started what `createAuthorization` returned for this browser, without its URL
   * @throws {CallbackError | TokenValidationError} the callback or the id_token was rejected
   *
   * @example
   * const { claims } = await oidc.handleCallback(new URL(req.url).searchParams, login)
   */
  handleCallback(callback: URLSearchParams, started: StartedSignIn): PromiseLike<SignedInTokens>
}

/** Options of the sign-in of a web app, for every framework. */
export interface SignInOptions {
  /**
   * The client that signs people in. Its `redirectUri` must lead to the callback route. If it has several, a request to
   * the login route selects the one with its own origin.
   */
  readonly oidc: SignInClient
  /**
   * Records which sign-ins were finished, so that each one can be finished once. Nothing is written before the callback
   * of a sign-in that was started in the same browser. Use a shared store if you run more than one process.
   */
  readonly store: Store
  /**
   * Encrypts the cookie that holds a sign-in between login and callback: at least 32 characters. Use the same in all
   * processes. If you pass several, the first one encrypts, and all decrypt. To rotate it, deploy `[old, new]`, then
   * `[new, old]`, and `[new]` after 10 minutes. In a list, `undefined` and `''` are ignored, so that you can pass
   * environment variables: one of them must be set.
   *
   * @default env `SVC_COOKIE_SECRET`
   * @throws {ConfigurationError} if both are missing, because a random secret would end sign-ins at each restart, or if
   *   one is too short, contains a line break or has spaces around it
   */
  readonly cookieSecret?: string | readonly (string | undefined)[] | undefined
  /**
   * The paths of the two routes, each starting with `/`, if they do not follow from `redirectUri`. A slash at the end and
   * a prefix that the framework removes, such as the `basePath` of Next.js, make no difference.
   *
   * @default the path of `redirectUri`, and `login` next to it
   */
  readonly paths?:
    | {
        /** Redirects the browser to the service. @default `/login`, in the folder of the callback */
        readonly login?: string | undefined
        /** Receives the browser again. @default the path of the client's `redirectUri` */
        readonly callback?: string | undefined
      }
    | undefined
}

/** A sign-in that was started in the browser of a callback, and is now used up. */
export interface TakenSignIn {
  readonly signIn: PendingSignIn
  /** The path to go to after the sign-in. */
  readonly returnTo: string
  /** The `Set-Cookie` value that deletes its cookie. */
  readonly cookie: string
}

/** The names of {@link SignInOptions}. */
export const signInOptionRules = {
  oidc: true,
  store: true,
  cookieSecret: true,
  paths: true,
} as const

/** The two steps of a sign-in: the redirect to the service, and the callback. */
export class SignIn {
  readonly #oidc: SignInClient
  readonly #store: Store
  readonly #cookies: SignInCookies

  /**
   * @param owner the function that the options were passed to
   * @throws {ConfigurationError} an option is missing or invalid
   */
  constructor(owner: string, { oidc, store, cookieSecret }: SignInOptions, timing: Timing, stream: Stream) {
    this.#oidc = oidc
    this.#store = guardedStore(owner, store, 'the store of sign-ins', { timing, stream })
    this.#cookies = new SignInCookies(readCookieSecrets(owner, cookieSecret), timing)
  }

  /**
   * Starts a sign-in. Redirect the browser to the location, with the cookies. The store is not used, because anyone can
   * start a sign-in.
   *
   * @param returnTo the path to go to afterwards
   * @param cookies the `Cookie` header of the request
   */
  async start(
    { redirectUri, returnTo }: { readonly redirectUri: string | undefined; readonly returnTo: string },
    cookies: string | undefined,
  ): Promise<{ readonly location: string; readonly cookies: readonly string[] }> {
    const { url, ...signIn } = await this.#oidc.createAuthorization({ redirectUri })
    return { location: url, cookies: await this.#cookies.add(signIn, returnTo, cookies) }
  }

  /**
   * Takes the sign-in that a callback belongs to. The browser must have its cookie, and it can be taken only once.
   *
   * @param query the query of the callback
   * @param cookies the `Cookie` header of the request
   * @param redirectUri where the callback was received, if it is known
   * @throws {Rejection | StoreError}
   */
  async take(
    query: URLSearchParams,
    cookies: string | undefined,
    redirectUri: string | undefined,
  ): Promise<TakenSignIn> {
    const { signIn, returnTo, hint } = await this.#find(query, cookies, redirectUri)
    if (signIn === undefined) {
      // Other faults of the callback are the more helpful reason.
      readCallback(query)
      throw stateMismatch(hint)
    }
    if (await useOnce(this.#store, `sign-in:${signIn.state}`, signInTtlMs)) {
      return { signIn, returnTo, cookie: this.#cookies.remove(signIn) }
    }
    throw stateMismatch(
      'This sign-in was finished before, or its store failed in the first callback: the callback was received twice.',
    )
  }

  /**
   * Finishes a sign-in.
   *
   * @throws {CallbackError | TokenValidationError | ApiError}
   */
  async finish(query: URLSearchParams, signIn: PendingSignIn): Promise<SignedInTokens> {
    return this.#oidc.handleCallback(query, signIn)
  }

  async #find(
    query: URLSearchParams,
    cookies: string | undefined,
    redirectUri: string | undefined,
  ): Promise<SignInOrHint> {
    const [state, ...others] = query.getAll(callbackParameters.state)
    if (state === undefined || others.length > 0) return { hint: 'The callback has no state.' }
    const found = await this.#cookies.find(cookies, state)
    return found.signIn ? found : { hint: hints[found.fault](redirectUri) }
  }
}

type SignInOrHint =
  | { readonly signIn: PendingSignIn; readonly returnTo: string; readonly hint?: never }
  | { readonly signIn?: never; readonly returnTo?: never; readonly hint: string }

const hints: Readonly<Record<SignInFault, (redirectUri: string | undefined) => string>> = {
  lost: lostHint,
  unreadable: () =>
    'The cookie of this sign-in cannot be decrypted: the processes of the app have different values of cookieSecret, or the cookie was changed.',
  expired: () =>
    'The sign-in was started more than 10 minutes ago, or the clocks of the processes differ by more than a minute.',
}

/**
 * Returns the redirect URIs of a client, one at least. It is `undefined` if they are unknown.
 *
 * @throws {ConfigurationError} it is not a client, or has no redirect URI
 */
export function redirectUrisOf(owner: string, oidc: SignInClient): readonly (string | undefined)[] {
  checkMethods(owner, 'oidc', oidc, ['createAuthorization', 'handleCallback'], 'an OidcClient')
  if (!('redirectUri' in oidc)) return [undefined]
  const redirectUris = [oidc.redirectUri ?? []].flat()
  if (redirectUris.length === 0) {
    throw new ConfigurationError({
      message: `${owner}: the client has no redirectUri, and it is never taken from a request: pass redirectUri to OidcClient`,
    })
  }
  return redirectUris
}

/** @throws {ConfigurationError} the secret is missing, or one is too short, or has line breaks or spaces around it */
function readCookieSecrets(owner: string, option: SignInOptions['cookieSecret']): readonly string[] {
  const variable = 'SVC_COOKIE_SECRET'
  const length = `at least ${minCookieSecretLength} characters`
  const form = `, to your own secret of ${length}. ${keyAdvice}`
  const setting = readSetting(owner, 'cookieSecret', variable, option, form)
  const secrets = readSecrets(`${owner}: cookieSecret`, setting, secretAdvice)
  if (secrets.every(isCookieSecret)) return secrets
  const source = option === undefined ? `: check ${variable}` : ''
  const message = `${owner}: cookieSecret must have ${length}${source}. ${keyAdvice}`
  throw new ConfigurationError({ message })
}
