import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import type { TokenSet } from '../oidc/client.ts'
import { SignIn, type SignInOptions, statusOf } from '../oidc/sign-in.ts'
import { toldTo } from '../oidc/sign-in-handler.ts'

export interface ExpressSignInOptions<Req extends IncomingMessage, Res extends ServerResponse>
  extends SignInOptions {
  /**
   * The person is who the tokens say: start your own session here. Without an answer of yours the browser goes
   * to `/`.
   */
  readonly onSignIn: (tokens: TokenSet, req: Req, res: Res) => unknown
  /** Hears why a sign-in failed. The browser is told no more than that it did. */
  readonly onError?: ((error: SdkError) => void) | undefined
}

/**
 * Login and callback of an Express app, as one middleware. The sign-in is bound to its browser by a signed,
 * HttpOnly, SameSite=Lax cookie and can be ended once; several tabs may be under way. What `onSignIn` throws goes to
 * Express.
 *
 * @throws {ConfigurationError} an option cannot work
 * @see service contract, section 4.7
 *
 * @example
 * app.use(expressSignIn({
 *   oidc, store, cookieSecret,
 *   onSignIn: (tokens, req, res) => { req.session.sub = tokens.claims?.sub; res.redirect('/') },
 * }))
 */
export function expressSignIn<Req extends IncomingMessage, Res extends ServerResponse>(
  options: ExpressSignInOptions<Req, Res>,
): (req: Req, res: Res, next: (error?: unknown) => void) => void {
  const signIn = new SignIn(options)
  const { onSignIn, onError } = options

  async function answer(req: Req, res: Res, callback: URLSearchParams | undefined): Promise<void> {
    res.setHeader('cache-control', 'no-store')
    try {
      if (callback === undefined) {
        const { location, cookie } = await signIn.begin()
        res.appendHeader('set-cookie', cookie)
        return redirect(res, 302, location)
      }
      const { tokens, cookie } = await signIn.end(callback, req.headers.cookie)
      res.appendHeader('set-cookie', cookie)
      await onSignIn(tokens, req, res)
      if (!res.headersSent && !res.writableEnded) redirect(res, 303, '/')
    } catch (error) {
      if (!isSdkError(error) || res.headersSent) throw error
      onError?.(error)
      res.statusCode = statusOf(error)
      res.setHeader('content-type', 'text/plain; charset=utf-8')
      res.end(toldTo(error))
    }
  }

  return (req, res, next) => {
    const [path = '', query = ''] = (req.url ?? '').split('?', 2)
    const isCallback = path === signIn.paths.callback
    if (req.method !== 'GET' || !(isCallback || path === signIn.paths.login)) return next()
    answer(req, res, isCallback ? new URLSearchParams(query) : undefined).catch(next)
  }
}

function redirect(res: ServerResponse, status: 302 | 303, location: string): void {
  res.statusCode = status
  res.setHeader('location', location)
  res.end()
}
