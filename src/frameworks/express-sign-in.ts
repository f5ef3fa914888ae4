import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnySdkError } from '../errors/any-sdk-error.ts'
import type { SignInOptions } from '../oidc/sign-in/sign-in.ts'
import { commonHeaders, type SignInContext, SignInController } from '../oidc/sign-in/sign-in-controller.ts'
import type { SignInRequest } from '../oidc/sign-in/sign-in-routes.ts'
import type { SignedInTokens } from '../oidc/tokens/token-set.ts'

/** Options of {@link expressSignIn}. They are read once. Later changes to the object have no effect. */
export interface ExpressSignInOptions<Req extends IncomingMessage, Res extends ServerResponse> extends SignInOptions {
  /**
   * Called after a person has signed in. Start your own session here. If you have sent no response when it returns, or
   * when its promise resolves, the browser is redirected to `returnTo`. So wait for callbacks, such as that of
   * `req.session.save`.
   */
  readonly onSignIn: (tokens: SignedInTokens, req: Req, res: Res, context: SignInContext) => unknown
  /**
   * Called if a sign-in fails. If you send no response, the browser gets a page without details and with a link to sign
   * in again. If your callback throws, that is logged, and the browser gets that page.
   *
   * @default none: failures go to `logger`, or to `console.error`
   */
  readonly onError?: ((error: AnySdkError, req: Req, res: Res) => unknown) | undefined
}

/**
 * Creates a middleware with the login and callback routes of an Express app. The callback route has the path of the
 * client's `redirectUri`, and `login` is next to it. `/login?returnTo=/orders` leads to `/orders` after the sign-in, and
 * never to another host. An encrypted cookie (HttpOnly,
 * SameSite=Lax) holds each sign-in in its browser for 10 minutes. A sign-in can be finished once, and up to five tabs
 * can sign in at the same time. If `onSignIn` throws, the error is passed to Express. Requests to other routes are
 * passed on.
 *
 * @throws {ConfigurationError} an option is missing or invalid
 *
 * @example
 * app.use(
 *   expressSignIn({
 *     oidc,
 *     store,
 *     cookieSecret,
 *     onSignIn: (tokens, req, res) => startSession(tokens.claims, res),
 *   }),
 * )
 */
export function expressSignIn<Req extends IncomingMessage, Res extends ServerResponse>(
  options: ExpressSignInOptions<Req, Res>,
): (req: Req, res: Res, next: (error?: unknown) => void) => void {
  const controller = new SignInController('expressSignIn', options)
  const { onSignIn, onError } = options

  async function respond(request: SignInRequest, req: Req, res: Res): Promise<void> {
    setHeaders(res, commonHeaders)
    const { response, signedIn, error } = await controller.handle(request)
    for (const cookie of response.cookies) res.appendHeader('set-cookie', cookie)
    if (signedIn) await controller.runOnSignIn(() => onSignIn(signedIn.tokens, req, res, signedIn.context))
    if (error && onError) await controller.runOnError(() => onError(error, req, res))
    if (res.headersSent || res.writableEnded) return
    res.statusCode = response.status
    setHeaders(res, response.headers)
    res.end(response.body)
  }

  return (req, res, next) => {
    const { method = '', url = '', originalUrl = url }: IncomingMessage & { originalUrl?: string } = req
    const route = { method, path: pathOf(url), fullPath: pathOf(originalUrl) }
    if (!controller.accepts(route)) return next()
    const query = new URLSearchParams(url.slice(route.path.length))
    const header = (name: string) => req.headers[name]?.toString()
    const origin = `http${'encrypted' in req.socket ? 's' : ''}://${req.headers.host}`
    respond({ ...route, origin, query, header }, req, res).catch(next)
  }
}

const pathOf = (url: string) => url.split('?', 1)[0] as string

function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
