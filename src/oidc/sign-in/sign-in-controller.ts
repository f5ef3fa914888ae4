import { type AnySdkError, isSdkError } from '../../errors/any-sdk-error.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { CallbackError, CallbackReason } from '../../errors/sign-in-errors.ts'
import { observationOf } from '../../observe/observation.ts'
import { Stream } from '../../observe/stream.ts'
import { aFunction, checkOptions, type Rule } from '../../options/rules.ts'
import { realTiming, type Timing, timing } from '../../runtime/timing.ts'
import type { SignedInTokens } from '../tokens/token-set.ts'
import { loopbackOrigin } from './callback.ts'
import { checkClient, SignIn, type SignInOptions, signInOptionRules } from './sign-in.ts'
import { linkBetween, pageHeaders, signInPage } from './sign-in-page.ts'

/** A request, independent of the framework. */
export interface SignInRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Returns the value of a header, if there is one. */
  header(name: string): string | null | undefined
}

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
  /** The tokens to call `onSignIn` with. Missing if nobody has signed in. */
  readonly tokens?: SignedInTokens
  /** The error to call `onError` with. Missing if nothing failed. */
  readonly error?: AnySdkError
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
  readonly #paths: SignInPaths
  /** True if the callback leads to this machine. The page then shows the developer what to check. */
  readonly #isDevelopment: boolean
  readonly #stream: Stream

  /**
   * @param owner the function that the options were passed to
   * @throws {ConfigurationError} an option is missing or invalid
   */
  constructor(owner: string, options: SignInControllerOptions & { readonly [timing]?: Partial<Timing> }) {
    checkOptions(owner, options, {
      ...signInOptionRules,
      onSignIn: true,
      onError: aFunction,
    })
    const clock = { ...realTiming, ...options[timing] }
    const { onSignIn, onError, oidc } = options
    checkClient(owner, oidc)
    const isHandled = onError !== undefined
    this.#stream = new Stream({ observation: observationOf(oidc), isHandled, timing: clock })
    this.#signIn = new SignIn(owner, options, clock, this.#stream)
    this.#paths = readPaths(owner, options.paths)
    this.#isDevelopment = loopbackOrigin(options.oidc.redirectUri) !== undefined
    if (typeof onSignIn !== 'function')
      throw new ConfigurationError({
        message: `${owner}: onSignIn is missing: pass a function that starts your session`,
      })
  }

  /** Whether a request starts or finishes a sign-in. {@link handle} rejects all others. */
  accepts({ method, path }: Pick<SignInRequest, 'method' | 'path'>): boolean {
    return method === 'GET' && this.#isRoute(path)
  }

  /** Starts or finishes a sign-in. Rejects only with errors that are not from this package. */
  async handle(request: SignInRequest): Promise<SignInOutcome> {
    if (!this.#isRoute(request.path)) return { response: textResponse(404, 'not found') }
    if (!this.accepts(request)) {
      return { response: textResponse(405, 'method not allowed', { allow: 'GET' }) }
    }
    if (isPrefetch(request)) return { response: { status: 204, headers: {}, cookies: [] } }
    const isLogin = request.path === this.#paths.login
    return this.#stream.observe(
      { kind: 'signIn', operation: isLogin ? 'signIn.login' : 'signIn.callback' },
      () => (isLogin ? this.#start(request) : this.#finish(request)),
      ({ error }) => ({ error }),
    )
  }

  /**
   * Calls `onSignIn`, and logs its failure.
   *
   * @throws what the callback throws, because the framework has its own response for failures of the app
   */
  async runOnSignIn<Result>(
    tokens: SignedInTokens,
    onSignIn: (tokens: SignedInTokens) => Result,
  ): Promise<Awaited<Result>> {
    try {
      return await onSignIn(tokens)
    } catch (error) {
      this.#stream.failed({ what: 'onSignIn', error })
      throw error
    }
  }

  /** Calls `onError`. If it throws, the failure is logged, and the result is `undefined`. */
  async runOnError<Result>(onError: () => Result): Promise<Awaited<Result> | undefined> {
    try {
      return await onError()
    } catch (error) {
      this.#stream.hookThrew({ what: 'onError', error })
      return undefined
    }
  }

  /**
   * Returns what is made of the result of a callback. If it cannot be used, that is logged, and nothing is returned.
   */
  usedResult<Result>(what: string, use: () => Result): Result | undefined {
    try {
      return use()
    } catch (error) {
      this.#stream.hookThrew({ what, error })
      return undefined
    }
  }

  #start(request: SignInRequest): Promise<SignInOutcome> {
    return this.#attempt(request.path, async () => {
      const { location, cookies } = await this.#signIn.start(cookiesOf(request))
      return { response: { status: 302, headers: { location }, cookies } }
    })
  }

  async #finish(request: SignInRequest): Promise<SignInOutcome> {
    const { path, query } = request
    let removal: readonly string[] = []
    const { response, ...rest } = await this.#attempt(path, async () => {
      const { signIn, cookie } = await this.#signIn.take(query, cookiesOf(request))
      removal = [cookie]
      const tokens = await this.#signIn.finish(query, signIn)
      return { response: { status: 303, headers: { location: '/' }, cookies: [] }, tokens }
    })
    return { response: { ...response, cookies: removal }, ...rest }
  }

  /** Runs a step of a sign-in. Errors of this package become a response. */
  async #attempt(path: string, step: () => Promise<SignInOutcome>): Promise<SignInOutcome> {
    try {
      return await step()
    } catch (error) {
      if (isSdkError(error)) return this.#fail(error, path)
      this.#stream.failed({ what: 'a sign-in', error })
      throw error
    }
  }

  #fail(error: AnySdkError, path: string): SignInOutcome {
    const status = statusOf(error)
    const callbackError = error.name === 'CallbackError' ? error : undefined
    const hint = callbackError?.hint
    const failure = { what: 'a sign-in', error }
    if (status === 400) this.#stream.rejected(failure, 'reason' in error ? error.reason : error.code)
    else this.#stream.failed(failure)
    const body = signInPage({
      explanation: explanationOf(error, status),
      reason: callbackError ? reasonOf(callbackError) : 'sign-in failed',
      hint: this.#isDevelopment ? hint : undefined,
      loginUrl: linkBetween(path, this.#paths.login),
    })
    return { response: { status, headers: pageHeaders, cookies: [], body }, error }
  }

  #isRoute(path: string): boolean {
    return path === this.#paths.login || path === this.#paths.callback
  }
}

const cookiesOf = ({ header }: SignInRequest) => header('cookie') ?? undefined

/**
 * Browsers and Next.js request links that nobody has clicked. Each would start a sign-in, and a browser keeps only a
 * few of them, so that links on a page would end the one that is in progress.
 */
const isPrefetch = ({ header }: SignInRequest) =>
  ['sec-purpose', 'purpose', 'x-moz', 'next-router-prefetch'].some((name) =>
    /\bprefetch\b|^1$/.test(header(name) ?? ''),
  )

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
  switch (error.code) {
    case 'invalid_grant':
      return 400
    case 'configuration':
    case 'invalid_params':
      return 500
    case 'store_failed':
      return 503
    default:
      return 502
  }
}

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

interface SignInPaths {
  readonly login: string
  readonly callback: string
}

const aPath: Rule = {
  form: 'start with /',
  allows: (path) => typeof path === 'string' && path.startsWith('/'),
}

/** @throws {ConfigurationError} a path is not one, or both are the same */
function readPaths(owner: string, paths: SignInOptions['paths'] = {}): SignInPaths {
  checkOptions(owner, paths, { login: aPath, callback: aPath }, 'paths.')
  const { login = '/login', callback = '/callback' } = paths
  if (login === callback)
    throw new ConfigurationError({ message: `${owner}: paths.login and paths.callback must be different` })
  return { login, callback }
}
