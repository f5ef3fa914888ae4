import type { IncomingMessage, ServerResponse } from 'node:http'
import { isSdkError, type SdkError } from '../errors/sdk-error.ts'
import { type EndedSignIn, SignIn, type SignInOptions, statusOf, toldTo } from '../oidc/sign-in/sign-in.ts'
import type { TokenSet } from '../oidc/tokens/token-set.ts'
import { callHook } from '../runtime/call-hook.ts'

/** Read once, when the middleware is made. */
export interface ExpressSignInOptions<Req extends IncomingMessage, Res extends ServerResponse>
  extends SignInOptions {
  /**
   * The person is who the tokens say: start your own session here. Without an answer of yours the browser goes
   * to `/`.
   */
  readonly onSignIn: (tokens: TokenSet, req: Req, res: Res) => unknown
  /** Hears why a sign-in failed. The browser is told no more than that it did. What it throws changes nothing. */
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
  const signIn = new SignIn(options)
  const { onSignIn, onError } = options

  async function away(res: Res): Promise<void> {
    const { location, cookie } = await signIn.begin()
    res.appendHeader('set-cookie', cookie)
    redirect(res, 302, location)
  }

  async function welcome({ tokens, cookie }: EndedSignIn, req: Req, res: Res): Promise<void> {
    res.appendHeader('set-cookie', cookie)
    await onSignIn(tokens, req, res)
    if (!res.headersSent && !res.writableEnded) redirect(res, 303, '/')
  }

  async function answer(req: Req, res: Res, callback: URLSearchParams | undefined): Promise<void> {
    res.setHeader('cache-control', 'no-store')
    let ended: EndedSignIn
    try {
      if (callback === undefined) return await away(res)
      ended = await signIn.end(callback, req.headers.cookie)
    } catch (error) {
      if (!isSdkError(error)) throw error
      if (onError) callHook(() => onError(error))
      res.statusCode = statusOf(error)
      res.setHeader('content-type', 'text/plain; charset=utf-8')
      res.setHeader('x-content-type-options', 'nosniff')
      res.end(toldTo(error))
      return
    }
    await welcome(ended, req, res)
  }

  return (req, res, next) => {
    const address = req.url ?? ''
    const end = address.includes('?') ? address.indexOf('?') : address.length
    const path = address.slice(0, end)
    const isCallback = path === signIn.paths.callback
    if (req.method !== 'GET' || !(isCallback || path === signIn.paths.login)) return next()
    answer(req, res, isCallback ? new URLSearchParams(address.slice(end)) : undefined).catch(next)
  }
}

function redirect(res: ServerResponse, status: 302 | 303, location: string): void {
  res.statusCode = status
  res.setHeader('location', location)
  res.end()
}
