import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import express from 'express'
import type { createAuth } from './auth.ts'

/** An app with sign-in. Better Auth serves the routes below /api/auth. */
export function createApp(auth: ReturnType<typeof createAuth>) {
  const app = express().disable('x-powered-by')
  app.all('/api/auth/*path', toNodeHandler(auth))

  app.get('/login', async (req, res) => {
    const { headers, response } = await auth.api.signInSocial({
      body: { provider: 'identity', callbackURL: '/', errorCallbackURL: '/not-signed-in' },
      headers: fromNodeHeaders(req.headers),
      returnHeaders: true,
    })
    res.setHeader('set-cookie', headers.getSetCookie())
    res.redirect(String(response.url))
  })

  app.get('/not-signed-in', (_req, res) => {
    res.status(400).send('<p>You could not be signed in.</p><a href="/login">Sign in again</a>')
  })

  app.get('/signed-out', (_req, res) => {
    // The service documents no path that ends its own session, so the page must not promise it.
    res.send(
      '<p>You are signed out of this app. You may still be signed in at the identity service, so the next sign-in may not ask you. On a shared computer, end its session there too.</p><a href="/login">Sign in</a>',
    )
  })

  app.use(async (req, res, next) => {
    const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
    if (!session) return res.redirect('/login')
    res.locals.user = session.user
    return next()
  })

  app.get('/', (_req, res) => {
    res.send('<a href="/me">Me</a><form method="post" action="/logout"><button>Sign out</button></form>')
  })

  app.get('/me', async (req, res) => {
    const [account] = await auth.api.listUserAccounts({ headers: fromNodeHeaders(req.headers) })
    // Use `id` in your own tables. `sub` identifies the person at the service.
    res.json({ id: res.locals.user.id, sub: account?.accountId })
  })

  // The cookie is SameSite, so a form on another site cannot send it.
  app.post('/logout', async (req, res) => {
    const { headers } = await auth.api.signOut({ headers: fromNodeHeaders(req.headers), returnHeaders: true })
    res.setHeader('set-cookie', headers.getSetCookie())
    res.redirect(303, '/signed-out')
  })
  return app
}
