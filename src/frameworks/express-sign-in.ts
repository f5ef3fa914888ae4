import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AnySdkError } from '../errors/any-sdk-error.ts'
import type { SignInOptions } from '../oidc/sign-in/sign-in.ts'
import { commonHeaders, SignInController, type SignInRequest } from '../oidc/sign-in/sign-in-controller.ts'
import type { SignedInTokens } from '../oidc/tokens/token-set.ts'

/** Options of {@link expressSignIn}. They are read once. Later changes to the object have no effect. */
export interface ExpressSignInOptions<Req extends IncomingMessage, Res extends ServerResponse> extends SignInOptions {
  /**
   * Called after a person has signed in. Start your own session here. If you send no response, the browser is
   * redirected to `/`.
   */
  readonly onSignIn: (tokens: SignedInTokens, req: Req, res: Res) => unknown
  /**
   * Called if a sign-in fails. If you send no response, the browser gets a page without details and with a link to sign
   * in again. If your callback throws, that is logged, and the browser gets that page.
   *
   * @default none: failures go to `logger`, or to `console.error`
   */
  readonly onError?: ((error: AnySdkError, req: Req, res: Res) => unknown) | undefined
}

/**
 * Creates a middleware with the login and callback routes of an Express app. An encrypted cookie (HttpOnly,
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
    const { response, tokens, error } = await controller.handle(request)
    for (const cookie of response.cookies) res.appendHeader('set-cookie', cookie)
    if (tokens) await controller.runOnSignIn(tokens, (signedIn) => onSignIn(signedIn, req, res))
    if (error && onError) await controller.runOnError(() => onError(error, req, res))
    if (res.headersSent || res.writableEnded) return
    res.statusCode = response.status
    setHeaders(res, response.headers)
    res.end(response.body)
  }

  return (req, res, next) => {
    const { method = '', url = '' } = req
    const pathEnd = url.includes('?') ? url.indexOf('?') : url.length
    const path = url.slice(0, pathEnd)
    if (!controller.accepts({ method, path })) return next()
    const query = new URLSearchParams(url.slice(pathEnd))
    const header = (name: string) => req.headers[name]?.toString()
    respond({ method, path, query, header }, req, res).catch(next)
  }
}

function setHeaders(res: ServerResponse, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
}
