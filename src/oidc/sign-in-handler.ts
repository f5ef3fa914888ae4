import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { TokenSet } from './client.ts'
import { SignIn, type SignInOptions, statusOf } from './sign-in.ts'

export interface SignInHandlerOptions extends SignInOptions {
  /**
   * The person is who the tokens say: start your own session here. Without an answer of yours the browser goes
   * to `/`.
   */
  readonly onSignIn: (
    tokens: TokenSet,
    request: Request,
  ) => Response | undefined | Promise<Response | undefined>
  /** Hears why a sign-in failed. The browser is told no more than that it did. */
  readonly onError?: ((error: SdkError) => void) | undefined
}

export interface SignInHandler {
  /** Answers the two routes; others are answered with 404. */
  fetch(request: Request): Promise<Response>
}

const plain = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }

/**
 * Login and callback of a web app, for frameworks that speak `Request` and `Response`: Hono, Next.js route
 * handlers, Bun, Deno, Workers. The sign-in is bound to its browser by a signed, HttpOnly, SameSite=Lax cookie and
 * can be ended once; several tabs may be under way.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 4.7
 *
 * @example
 * const signIn = createSignInHandler({ oidc, store, cookieSecret, onSignIn: (tokens) => startSession(tokens.claims) })
 * app.all('/login', (context) => signIn.fetch(context.req.raw))
 * app.all('/callback', (context) => signIn.fetch(context.req.raw))
 */
export function createSignInHandler(options: SignInHandlerOptions): SignInHandler {
  const signIn = new SignIn(options)
  const { onSignIn, onError } = options
  const { login, callback } = signIn.paths

  async function takeBack(request: Request, query: URLSearchParams): Promise<Response> {
    const { tokens, cookie } = await signIn.end(query, request.headers.get('cookie') ?? undefined)
    const answer = await onSignIn(tokens, request)
    const response = answer
      ? new Response(answer.body, answer)
      : new Response(null, { status: 303, headers: { location: '/' } })
    response.headers.append('set-cookie', cookie)
    response.headers.set('cache-control', 'no-store')
    return response
  }

  return {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== login && pathname !== callback)
        return new Response('not found', { status: 404, headers: plain })
      if (request.method !== 'GET') {
        return new Response('method not allowed', { status: 405, headers: { ...plain, allow: 'GET' } })
      }
      try {
        if (pathname === callback) return await takeBack(request, searchParams)
        const { location, cookie } = await signIn.begin()
        return new Response(null, {
          status: 302,
          headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' },
        })
      } catch (error) {
        if (!isSdkError(error)) throw error
        onError?.(error)
        return new Response(toldTo(error), { status: statusOf(error), headers: plain })
      }
    },
  }
}

/** What the browser may know: the callback's own faults, and of others that there was one. */
export const toldTo = (error: SdkError) =>
  error.code === 'callback_refused' ? error.message : 'sign-in failed'
