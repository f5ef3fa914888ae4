import { type AnySdkError, isSdkError } from '../../errors/any-sdk-error.ts'
import { tokenReasons } from '../../errors/catalog.ts'
import { ConfigurationError, errorIn } from '../../errors/sdk-error.ts'
import type { CallbackError, CallbackReason } from '../../errors/sign-in-errors.ts'
import { isConfigurationCode } from '../../http/exchange/response-errors.ts'
import { observationOf } from '../../observe/observation.ts'
import { Stream } from '../../observe/stream.ts'
import { aFunction, checkOptions } from '../../options/rules.ts'
import { timingOf } from '../../runtime/timing.ts'
import type { SignedInTokens } from '../tokens/token-set.ts'
import { loopbackOrigin } from './callback.ts'
import { redirectUrisOf, SignIn, type SignInOptions, signInOptionRules } from './sign-in.ts'
import { pageHeaders, signInPage } from './sign-in-page.ts'
import { originOf, readReturnTo, type SignInRequest, SignInRoutes, selectRedirectUri } from './sign-in-routes.ts'

/** A response, independent of the framework. It also needs {@link commonHeaders}. */
interface SignInResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The values of its `Set-Cookie` headers. */
  readonly cookies: readonly string[]
  readonly body?: string
}

/** What a request led to. */
export interface SignInOutcome {
  /**
   * The response to send. `onSignIn` and `onError` may send their own response instead, which then needs the
   * cookies too.
   */
  readonly response: SignInResponse
  /** The arguments to call `onSignIn` with. Missing if nobody has signed in. */
  readonly signedIn?: { readonly tokens: SignedInTokens; readonly context: SignInContext }
  /** The error to call `onError` with. Missing if nothing failed. */
  readonly error?: AnySdkError
}

/** What `onSignIn` gets with the tokens. */
export interface SignInContext {
  /**
   * The path that the login route got as `returnTo`, with query and fragment, as a redirect can use it: it leads to the
   * origin of this request in every browser. `/` if there was none, or if it leads elsewhere, occurs twice or has more
   * than 512 characters.
   */
  readonly returnTo: string
}

/** Headers of all responses, including those of `onSignIn`, because they are for one person and one moment. */
export const commonHeaders: Readonly<Record<string, string>> = { 'cache-control': 'no-store' }

/** The options of the adapters that the controller reads. */
export interface SignInControllerOptions extends SignInOptions {
  readonly onSignIn: unknown
  readonly onError?: unknown
}

/** The login and callback routes of a web app, without its framework. */
export class SignInController {
  readonly #signIn: SignIn
  readonly #owner: string
  readonly #redirectUris: readonly (string | undefined)[]
  readonly #routes: SignInRoutes
  readonly #stream: Stream

  /**
   * @param owner the function that the options were passed to
   * @throws {ConfigurationError} an option is missing or invalid
   */
  constructor(owner: string, options: SignInControllerOptions) {
    checkOptions(owner, options, {
      ...signInOptionRules,
      onSignIn: true,
      onError: aFunction,
    })
    const timing = timingOf(options)
    const { onSignIn, onError, oidc } = options
    this.#owner = owner
    this.#redirectUris = redirectUrisOf(owner, oidc)
    const isHandled = onError !== undefined
    this.#stream = new Stream({ observation: observationOf(oidc), isHandled, timing })
    this.#signIn = new SignIn(owner, options, timing, this.#stream)
    this.#routes = new SignInRoutes(owner, options.paths, this.#redirectUris)
    if (typeof onSignIn !== 'function')
      throw new ConfigurationError({
        message: `${owner}: onSignIn is missing: pass a function that starts your session`,
      })
  }

  /** Whether a request starts or finishes a sign-in. {@link handle} rejects all others. */
  accepts(request: Pick<SignInRequest, 'method' | 'path' | 'fullPath'>): boolean {
    return request.method === 'GET' && this.#routes.find(request) !== undefined
  }

  /** Starts or finishes a sign-in. Rejects only with errors that are not from this package. */
  async handle(request: SignInRequest): Promise<SignInOutcome> {
    const route = this.#routes.find(request)
    if (route === undefined) return { response: textResponse(404, 'not found') }
    if (request.method !== 'GET') return { response: textResponse(405, 'method not allowed', { allow: 'GET' }) }
    // Browsers request the address again when the person opens it only if this was an error.
    if (isPrefetch(request)) return { response: textResponse(503, 'not available to a prefetch') }
    const { step, loginUrl } = route
    if (step === 'login' && isSubresource(request))
      return { response: textResponse(401, 'not signed in: open this address in the browser') }
    return this.#stream.observe(
      { kind: 'signIn', operation: `signIn.${step}` },
      () => (step === 'login' ? this.#start(request, loginUrl) : this.#finish(request, loginUrl)),
      ({ error }) => ({ error }),
    )
  }

  /**
   * Calls `onSignIn`, and logs its failure.
   *
   * @throws what the callback throws, because the framework has its own response for failures of the app
   */
  async runOnSignIn<Result>(onSignIn: () => Result): Promise<Awaited<Result>> {
    try {
      return await onSignIn()
    } catch (error) {
      if (!isOfNext(error)) this.#stream.failed({ what: 'onSignIn', error })
      throw error
    }
  }

  /**
   * Calls `onError`. If it throws, the failure is logged, and the result is `undefined`.
   *
   * @throws what `redirect()` of Next.js throws
   */
  async runOnError<Result>(onError: () => Result): Promise<Awaited<Result> | undefined> {
    let thrownByNext: unknown
    const result = await this.#stream.callHook('onError', async () => {
      try {
        return await onError()
      } catch (error) {
        if (!isOfNext(error)) throw error
        thrownByNext = error
      }
    })
    if (thrownByNext !== undefined) throw thrownByNext
    return result
  }

  /**
   * Returns what is made of the result of a callback. If it cannot be used, that is logged, and nothing is returned.
   */
  usedResult<Result>(what: string, use: () => Result): Result | undefined {
    return this.#stream.callHook(what, use) as Result | undefined
  }

  async #start(request: SignInRequest, loginUrl: string): Promise<SignInOutcome> {
    const returnTo = readReturnTo(request.query)
    const page = { loginUrl: withReturnTo(loginUrl, returnTo) }
    const redirectUri = selectRedirectUri(this.#redirectUris, request)
    // Anyone can send a request with another host, so this is not a failure of the app.
    if (redirectUri === undefined && this.#redirectUris.length > 1) return this.#fail(this.#noRedirectUri(), page, 400)
    return this.#attempt({ ...page, redirectUri }, async () => {
      const { location, cookies } = await this.#signIn.start({ redirectUri, returnTo }, cookiesOf(request))
      return { response: { status: 302, headers: { location }, cookies } }
    })
  }

  async #finish(request: SignInRequest, loginUrl: string): Promise<SignInOutcome> {
    const { query } = request
    const page = { loginUrl, redirectUri: selectRedirectUri(this.#redirectUris, request) }
    let removal: readonly string[] = []
    const { response, ...rest } = await this.#attempt(page, async () => {
      const { signIn, returnTo, cookie } = await this.#signIn.take(query, cookiesOf(request), page.redirectUri)
      removal = [cookie]
      page.loginUrl = withReturnTo(loginUrl, returnTo)
      const tokens = await this.#signIn.finish(query, signIn)
      const signedIn = { tokens, context: { returnTo } }
      return { response: { status: 303, headers: { location: returnTo }, cookies: [] }, signedIn }
    })
    return { response: { ...response, cookies: removal }, ...rest }
  }

  /** Runs a step of a sign-in. Errors of this package become a response. */
  async #attempt(page: FailurePage, step: () => Promise<SignInOutcome>): Promise<SignInOutcome> {
    try {
      return await step()
    } catch (thrown) {
      const error = errorIn(this.#owner, thrown)
      if (isSdkError(error)) return this.#fail(error, page)
      this.#stream.failed({ what: 'a sign-in', error })
      throw error
    }
  }

  #fail(error: AnySdkError, { loginUrl, redirectUri }: FailurePage, status = statusOf(error)): SignInOutcome {
    const callbackError = error.name === 'CallbackError' ? error : undefined
    const rejected = status === 400 && { reason: 'reason' in error ? error.reason : error.code }
    this.#stream.failed({ what: 'a sign-in', error, ...rejected })
    const isOfConfiguration = isConfigurationFault(error)
    const body = signInPage({
      explanation: isOfConfiguration ? notSetUp : explanationOf(error, status),
      reason: callbackError ? reasonOf(callbackError) : 'sign-in failed',
      // Only on a development machine.
      hint: loopbackOrigin(redirectUri) === undefined ? undefined : callbackError?.hint,
      loginUrl: isOfConfiguration ? undefined : loginUrl,
    })
    return { response: { status, headers: pageHeaders, cookies: [], body }, error }
  }

  #noRedirectUri(): ConfigurationError {
    const origins = this.#redirectUris.flatMap((uri) => originOf(uri) ?? [])
    return new ConfigurationError({
      message: `${this.#owner}: no redirectUri has the origin of this request. Open the app at ${origins.join(' or ')}, or add a redirectUri of this origin, which must be registered`,
    })
  }
}

/** What the page about a failure needs of the request. */
interface FailurePage {
  readonly loginUrl: string
  readonly redirectUri?: string | undefined
}

/** What `redirect()` and `notFound()` of Next.js throw is a response, and no failure. */
const isOfNext = (thrown: unknown) => /^NEXT_/.test(String(Object(thrown).digest))

const withReturnTo = (loginUrl: string, returnTo: string) =>
  returnTo === '/' ? loginUrl : `${loginUrl}?${new URLSearchParams({ returnTo })}`

const cookiesOf = ({ header }: SignInRequest) => header('cookie') ?? undefined

/**
 * Browsers and Next.js request links that nobody has clicked. Each would start a sign-in, and a browser keeps only a
 * few of them, so that links on a page would end the one that is in progress.
 */
const isPrefetch = ({ header }: SignInRequest) =>
  ['sec-purpose', 'purpose', 'x-moz', 'next-router-prefetch'].some((name) =>
    /\bprefetch\b|^1$/.test(header(name) ?? ''),
  )

/**
 * Scripts that poll a page, and images in it, are redirected to the login route when the session of the app has ended.
 * They can never reach the consent page, and each of their sign-ins would end one that a person has started.
 */
const isSubresource = ({ header }: SignInRequest) =>
  !/^(?:document|i?frame|embed|object)$/.test(header('sec-fetch-dest') ?? 'document') &&
  // A service worker that requests the address of a navigation again asks for HTML too.
  !header('accept')?.includes('text/html')

function textResponse(status: number, body: string, headers: Record<string, string> = {}): SignInResponse {
  const text = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers: { ...text, ...headers }, cookies: [], body }
}

type FailureStatus = 400 | 500 | 502 | 503

/**
 * 400 for a rejected callback or code, 500 for a mistake of the app, 503 if the store failed, 502 if the service
 * failed.
 */
function statusOf(error: AnySdkError): FailureStatus {
  if (error.name === 'CallbackError') return 400
  if (error.name === 'TokenValidationError') return error.reason === 'keys_unavailable' ? 502 : 400
  if (error.code === 'invalid_grant') return 400
  if (error.code === 'store_failed') return 503
  return isConfigurationFault(error) ? 500 : 502
}

/** Whether only a change of the app's configuration can help, so that nobody should sign in again. */
function isConfigurationFault(error: AnySdkError): boolean {
  if (error.name === 'TokenValidationError') {
    const [, { actor, retry }] = tokenReasons[error.reason]
    return actor === 'caller' && retry !== 'never'
  }
  const code = error.name === 'CallbackError' ? error.error : error.code
  return code === 'configuration' || code === 'invalid_params' || isConfigurationCode(code)
}

const notSetUp =
  'This app is not set up correctly for sign-in. To sign in again does not help: report this to the operator of the app.'

/** The text for a support request. The contract gives the one for another state: `state mismatch`. */
function reasonOf({ reason, error }: CallbackError): string {
  const text = reason.replace('_', ' ')
  return error === undefined ? text : `${text}: ${error}`
}

/** The text for the person. Details of errors other than those of the callback itself are not shown. */
function explanationOf(error: AnySdkError, status: FailureStatus): string {
  if (status !== 400) return 'Sign-in is not available at the moment. Try again in a few minutes.'
  return error.name === 'CallbackError'
    ? callbackExplanations[error.reason]
    : 'The sign-in could not be confirmed, or it took too long.'
}

const changedAddress = 'The address of this page is not complete, or it was changed.'

const callbackExplanations: Readonly<Record<CallbackReason, string>> = {
  authorization_error: 'The sign-in was declined, or it could not be completed.',
  state_mismatch: 'This sign-in was started in another browser, was finished before, or is too old.',
  missing_code: changedAddress,
  issuer_mismatch: changedAddress,
  repeated_parameter: changedAddress,
}
