import express from 'express'
import { createTokenManager, isSdkError, TokenManagerError } from 'identity-service-sdk'
import { expressSignIn } from 'identity-service-sdk/express'

const sessionMs = 8 * 3_600_000

/**
 * An app that people sign in to: `/login` and `/callback` are the package's, `/me` says who somebody is, and
 * `/account` acts on their behalf, hours later too.
 */
export function createApp({ oidc, store, cookieSecret, tokenKey, isSecure = false }) {
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
        const cookie = { httpOnly: true, sameSite: 'lax', secure: isSecure, maxAge: sessionMs }
        res.cookie('session', id, cookie).redirect(303, '/me')
      },
      onError: tell,
    }),
  )

  app.use(async (req, res, next) => {
    const [, id = ''] = /(?:^|; )session=([\w-]+)/.exec(req.headers.cookie ?? '') ?? []
    const session = await store.get(`session:${id}`)
    if (session === null) return res.redirect('/login')
    res.locals = { key: `session:${id}`, claims: JSON.parse(session) }
    return next()
  })

  app.get(['/', '/me'], (_req, res) => res.json(res.locals.claims))

  app.get('/account', async (_req, res) => {
    const { sub } = res.locals.claims
    // Refreshed where it must be, by one process for all; what acts for the person takes it from here.
    const accessToken = await tokens.getAccessToken(sub)
    const { exp, scope } = await oidc.validateAccessToken(accessToken)
    res.json({ sub, scope, goodUntil: new Date(exp * 1000) })
  })

  // A form of another site brings no cookie along: it is SameSite.
  app.post('/logout', async (_req, res) => {
    await store.delete(res.locals.key)
    await tokens.delete(res.locals.claims.sub)
    res.clearCookie('session').redirect(303, '/login')
  })

  app.use(async (error, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    tell(error)
    // Nothing but the person can help: their tokens are spent, revoked or gone.
    if (error instanceof TokenManagerError) return res.redirect('/login')
    const { requestId, retryable } = error
    return res.status(retryable ? 503 : 502).json({ error: 'the account is not available', requestId })
  })
  return app
}

// An error of the package holds no secret and nothing personal; its requestId is what the service's support asks for.
const tell = (error) => console.error(JSON.stringify(error))
