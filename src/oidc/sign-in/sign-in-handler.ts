import { isSdkError, type SdkError } from '../../errors/sdk-error.ts'
import { callHook } from '../../runtime/call-hook.ts'
import type { TokenSet } from '../tokens/token-set.ts'
import { type EndedSignIn, SignIn, type SignInOptions, statusOf, toldTo } from './sign-in.ts'

/** Read once, when the handler is made. */
export interface SignInHandlerOptions extends SignInOptions {
  /**
   * The person is who the tokens say: start your own session here. Without an answer of yours the browser goes
   * to `/`.
   */
  readonly onSignIn: (
    tokens: TokenSet,
    request: Request,
  ) => Response | undefined | Promise<Response | undefined>
  /** Hears why a sign-in failed. The browser is told no more than that it did. What it throws changes nothing. */
  readonly onError?: ((error: SdkError) => void) | undefined
}

/** Login and callback as one `fetch`. */
export interface SignInHandler {
  /**
   * Answers the two routes; others are answered with 404.
   *
   * @see service contract, section 4.7
   *
   * @example
   * const response = await signIn.fetch(request)
   */
  fetch(request: Request): Promise<Response>
}

const plain = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/**
 * Login and callback of a web app, for frameworks that speak `Request` and `Response`: Hono, Next.js route
 * handlers, Bun, Deno, Workers. The sign-in is bound to its browser by a signed, HttpOnly, SameSite=Lax cookie and
 * can be ended once; several tabs may be under way. What `onSignIn` throws rejects `fetch`.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 4.7
 *
 * @example
 * const signIn = createSignInHandler({ oidc, store, cookieSecret, onSignIn: (tokens) => startSession(tokens.claims) })
 * hono.all('/login', (context) => signIn.fetch(context.req.raw))
 * hono.all('/callback', (context) => signIn.fetch(context.req.raw))
 */
export function createSignInHandler(options: SignInHandlerOptions): SignInHandler {
  const signIn = new SignIn(options)
  const { onSignIn, onError } = options
  const { login, callback } = signIn.paths

  async function away(): Promise<Response> {
    const { location, cookie } = await signIn.begin()
    return new Response(null, {
      status: 302,
      headers: { location, 'set-cookie': cookie, 'cache-control': 'no-store' },
    })
  }

  async function welcome({ tokens, cookie }: EndedSignIn, request: Request): Promise<Response> {
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
      let ended: EndedSignIn
      try {
        if (pathname === login) return await away()
        ended = await signIn.end(searchParams, request.headers.get('cookie') ?? undefined)
      } catch (error) {
        if (!isSdkError(error)) throw error
        if (onError) callHook(() => onError(error))
        return new Response(toldTo(error), { status: statusOf(error), headers: plain })
      }
      return welcome(ended, request)
    },
  }
}
