import type { AnySdkError } from '../../errors/any-sdk-error.ts'
import { ConfigurationError } from '../../errors/sdk-error.ts'
import type { SignedInTokens } from '../tokens/token-set.ts'
import type { SignInOptions } from './sign-in.ts'
import { commonHeaders, type SignInContext, SignInController } from './sign-in-controller.ts'

/** Options of {@link createSignInHandler}. They are read once. Later changes to the object have no effect. */
export interface SignInHandlerOptions extends SignInOptions {
  /**
   * Called after a person has signed in. Start your own session here. Return the response, or nothing to redirect the
   * browser to `returnTo`.
   */
  readonly onSignIn: (
    tokens: SignedInTokens,
    request: Request,
    context: SignInContext,
    // biome-ignore lint/suspicious/noConfusingVoidType: a callback without `return` returns void
  ) => Response | undefined | void | Promise<Response | undefined | void>
  /**
   * Called if a sign-in fails. Return your own response, or nothing: the browser then gets a page without details and
   * with a link to sign in again. If your callback throws, that is logged, and the browser gets that page.
   *
   * @default none: failures go to `logger`, or to `console.error`
   */
  readonly onError?:
    | ((
        error: AnySdkError,
        context: {
          /** The request of the browser. Never log its URL, because the query of a callback contains the code. */
          readonly request: Request
        },
        // biome-ignore lint/suspicious/noConfusingVoidType: a callback without `return` returns void
      ) => Response | undefined | void | Promise<Response | undefined | void>)
    | undefined
}

/** The login and callback routes as one fetch-style handler. */
export interface SignInHandler {
  /**
   * Handles a request to one of the two routes. Returns 404 for other paths and 405 for methods other than GET. Works
   * unbound, so that you can pass it on as a function.
   *
   * @example
   * const response = await signIn.fetch(request)
   */
  readonly fetch: (request: Request) => Promise<Response>
}

/**
 * Creates the login and callback routes of a web app, for frameworks with `Request` and `Response`: Hono, Next.js
 * route handlers, Bun, Deno, Workers. The callback route has the path of the client's `redirectUri`, and `login` is next
 * to it. `/login?returnTo=/orders` leads to `/orders` after the sign-in, and never to another host. An encrypted cookie (HttpOnly, SameSite=Lax) holds each sign-in in its
 * browser for 10 minutes. A sign-in can be finished once, and up to five tabs can sign in at the same time. If
 * `onSignIn` throws, `fetch` rejects with that error.
 *
 * @throws {ConfigurationError} an option is missing or invalid
 *
 * @example
 * const signIn = createSignInHandler({ oidc, store, cookieSecret, onSignIn: (tokens) => startSession(tokens.claims) })
 * hono.all('/login', (context) => signIn.fetch(context.req.raw))
 * hono.all('/callback', (context) => signIn.fetch(context.req.raw))
 */
export function createSignInHandler(options: SignInHandlerOptions): SignInHandler {
  const controller = new SignInController('createSignInHandler', options)
  const { onSignIn, onError } = options
  return {
    async fetch(request) {
      const { origin, pathname: path, searchParams: query } = new URL(request.url)
      const header = (name: string) => request.headers.get(name)
      const outcome = await controller.handle({ method: request.method, origin, path, query, header })
      const { response, signedIn, error } = outcome
      const copyOf = (what: string, returned: unknown) => controller.usedResult(what, () => copied(what, returned))
      const custom =
        (signedIn &&
          copyOf(
            'onSignIn',
            await controller.runOnSignIn(() => onSignIn(signedIn.tokens, request, signedIn.context)),
          )) ??
        (error && onError && copyOf('onError', await controller.runOnError(() => onError(error, { request }))))
      const { status, headers, body = null } = response
      const result = custom ?? new Response(body, { status, headers })
      for (const cookie of response.cookies) result.headers.append('set-cookie', cookie)
      for (const [name, value] of Object.entries(commonHeaders)) result.headers.set(name, value)
      return result
    },
  }
}

/**
 * Returns a copy of a response, because the headers of some, such as redirects, cannot be changed.
 *
 * @throws the value is not a response, or cannot be sent
 */
function copied(what: string, returned: unknown): Response | undefined {
  if (returned === undefined || returned === null) return undefined
  // Not `instanceof`, because a framework may have a class of its own.
  if (Object.prototype.toString.call(returned) !== '[object Response]')
    throw new ConfigurationError({
      message: `createSignInHandler: ${what} must return a Response, or nothing`,
    })
  const response = returned as Response
  return new Response(response.body, response)
}
