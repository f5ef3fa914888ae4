import type { AnySdkError } from '../../errors/any-sdk-error.ts'
import { isSdkError } from '../../errors/is-sdk-error.ts'
import type { SdkError } from '../../errors/sdk-error.ts'
import { CallbackError, TokenValidationError } from '../../errors/sign-in-errors.ts'
import { callHook } from '../../runtime/call-hook.ts'
import type { SignedInTokens } from '../tokens/token-set.ts'
import { SignIn, type SignInOptions } from './sign-in.ts'

/** A request, independent of the framework. */
export interface SignInRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** The `Cookie` header, if there is one. */
  readonly cookies: string | undefined
}

/** A response, independent of the framework. It also needs {@link commonHeaders}. */
interface SignInResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The value of a `Set-Cookie` header, if there is one. */
  readonly cookie?: string
  readonly body?: string
}

/** What a request led to. */
export interface SignInOutcome {
  /**
   * The response to send. If a person has signed in, `onSignIn` may send its own response instead, which then needs the
   * cookie too.
   */
  readonly response: SignInResponse
  /** The tokens to call `onSignIn` with. Missing if nobody has signed in. */
  readonly tokens?: SignedInTokens
}

/** Headers of all responses, including those of `onSignIn`, because they are for one person and one moment. */
export const commonHeaders: Readonly<Record<string, string>> = { 'cache-control': 'no-store' }

/** The login and callback routes of a web app, without its framework. */
export class SignInController {
  readonly #signIn: SignIn
  readonly #paths: { readonly login: string; readonly callback: string }
  readonly #onError: ((error: AnySdkError) => void) | undefined

  /** @throws {ConfigurationError} an option is missing or invalid */
  constructor(options: SignInOptions & { readonly onError?: ((error: AnySdkError) => void) | undefined }) {
    this.#signIn = new SignIn(options)
    const { login = '/login', callback = '/callback' } = options.paths ?? {}
    this.#paths = { login, callback }
    this.#onError = options.onError
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
    try {
      return request.path === this.#paths.login ? await this.#start() : await this.#finish(request)
    } catch (error) {
      if (!isSdkError(error)) throw error
      const onError = this.#onError
      if (onError) callHook(() => onError(error))
      return { response: textResponse(statusOf(error), publicMessage(error)) }
    }
  }

  async #start(): Promise<SignInOutcome> {
    const { location, cookie } = await this.#signIn.start()
    return { response: { status: 302, headers: { location }, cookie } }
  }

  async #finish({ query, cookies }: SignInRequest): Promise<SignInOutcome> {
    const { tokens, cookie } = await this.#signIn.finish(query, cookies)
    return { response: { status: 303, headers: { location: '/' }, cookie }, tokens }
  }

  #isRoute(path: string): boolean {
    return path === this.#paths.login || path === this.#paths.callback
  }
}

function textResponse(status: number, body: string, headers: Record<string, string> = {}): SignInResponse {
  const text = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' }
  return { status, headers: { ...text, ...headers }, body }
}

/** 400 if the callback or its code was rejected, 503 if the store failed, 502 if the service failed. */
function statusOf(error: SdkError): 400 | 502 | 503 {
  if (error instanceof CallbackError) return error.statusCode
  if (error.code === 'store_failed') return 503
  if (error instanceof TokenValidationError) return error.reason === 'keys_unavailable' ? 502 : 400
  return error.code === 'invalid_grant' ? 400 : 502
}

/** The text for the browser. Details of errors other than those of the callback itself are not shown. */
const publicMessage = (error: SdkError): string =>
  error instanceof CallbackError ? error.message : 'sign-in failed'
