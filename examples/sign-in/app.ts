import express, { type ErrorRequestHandler, type Request, type Response } from 'express'
import {
  createTokenManager,
  type IdTokenClaims,
  isSdkError,
  type OidcClient,
  type Store,
  TokenManagerError,
  type TokenManagerOptions,
} from 'identity-service-sdk'
import { expressSignIn } from 'identity-service-sdk/express'

const sessionMs = 8 * 3_600_000

interface Settings {
  oidc: OidcClient
  store: Store
  /** @default env `SVC_COOKIE_SECRET` */
  cookieSecret?: string
  tokenKey: TokenManagerOptions['encryptionKey']
  isSecure?: boolean
  onError?: (error: unknown) => void
}

/** A response to a person who is signed in. */
type MemberResponse = Response<unknown, { key: string; claims: IdTokenClaims }>

/**
 * An app with sign-in. The package serves `/login` and `/callback`. `/me` shows who is signed in. `/account` uses an
 * access token of the person, also hours after the sign-in.
 */
export function createApp({ oidc, store, cookieSecret, tokenKey, isSecure = false, onError = logError }: Settings) {
  const app = express().disable('x-powered-by')
  const tokens = createTokenManager({ oidc, store, encryptionKey: tokenKey })

  app.use(
    expressSignIn({
      oidc,
      store,
      cookieSecret,
      onSignIn: async (set, _req, res) => {
        await tokens.save(set.claims.sub, set)
        const id = crypto.randomUUID()
        await store.set(`session:${id}`, JSON.stringify(set.claims), { ttlMs: sessionMs })
        // The browser is then redirected to the page that the person wanted.
        res.cookie('session', id, { httpOnly: true, sameSite: 'lax', secure: isSecure, maxAge: sessionMs })
      },
      onError,
    }),
  )

  app.use(async (req, res: MemberResponse, next) => {
    const [, id = ''] = /(?:^|; )session=([\w-]+)/.exec(req.headers.cookie ?? '') ?? []
    const session = await store.get(`session:${id}`)
    if (session === null) return res.redirect(loginFor(req))
    res.locals = { key: `session:${id}`, claims: JSON.parse(session) }
    return next()
  })

  app.get(['/', '/me'], (_req, res: MemberResponse) => res.json(res.locals.claims))

  app.get('/account', async (_req, res: MemberResponse) => {
    const { sub } = res.locals.claims
    // Refreshed if necessary, once for all processes. Use the token for requests on behalf of the person.
    const accessToken = await tokens.getAccessToken(sub)
    const { exp, scope } = await oidc.validateAccessToken(accessToken)
    res.json({ sub, scope, goodUntil: new Date(exp * 1000) })
  })

  // The cookie is SameSite, so a form on another site cannot send it.
  app.post('/logout', async (_req, res: MemberResponse) => {
    await store.delete(res.locals.key)
    await tokens.delete(res.locals.claims.sub)
    res.clearCookie('session').redirect(303, '/login')
  })

  const respondToError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    onError(error)
    // The tokens are used, revoked or missing, so the person has to sign in again.
    if (error instanceof TokenManagerError) return res.redirect(loginFor(req))
    const { requestId, retryable = false } = error
    return res.status(retryable ? 503 : 502).json({ error: 'the account is not available', requestId })
  }
  app.use(respondToError)
  return app
}

const loginFor = ({ method, originalUrl }: Request) =>
  method === 'GET' ? `/login?${new URLSearchParams({ returnTo: originalUrl })}` : '/login'

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
const logError = (error: unknown) => console.error(JSON.stringify(error))
