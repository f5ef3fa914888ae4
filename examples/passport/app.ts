import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import session, { type Store } from 'express-session'
import { CallbackError, isErrorCode, isSdkError, type OidcClient, TokenValidationError } from 'identity-service-sdk'
import passport from 'passport'
import { IdentityServiceStrategy } from './strategy.ts'

declare global {
  namespace Express {
    interface User {
      sub: string
    }
  }
}

interface Settings {
  oidc: OidcClient
  secret: string
  /** @default a store in memory, for a single process */
  store: Store | undefined
  isSecure: boolean
}

/** An app with sign-in. Passport runs the strategy, and express-session keeps the session of the app. */
export function createApp({ oidc, secret, store, isSecure }: Settings) {
  const app = express().disable('x-powered-by')

  app.use(
    session({
      ...(store && { store }),
      secret,
      resave: false,
      saveUninitialized: false,
      // Behind a proxy that ends TLS, express-session sets a secure cookie only if it trusts X-Forwarded-Proto.
      proxy: isSecure,
      cookie: { httpOnly: true, sameSite: 'lax', secure: isSecure, maxAge: 8 * 3_600_000 },
    }),
  )
  // In a real app, look up the person by `sub` in your database, and create them at the first sign-in.
  passport.use(new IdentityServiceStrategy(oidc, ({ sub }) => ({ sub })))
  passport.serializeUser<string>((user, done) => done(null, user.sub))
  passport.deserializeUser<string>((sub, done) => done(null, { sub }))
  app.use(passport.session())

  const authenticate: RequestHandler = passport.authenticate('identity', { successRedirect: '/' })
  app.get('/login', authenticate)
  app.get('/callback', authenticate)

  app.get('/signed-out', (_req, res) => {
    // The service documents no path that ends its own session, so the page must not promise it.
    res.send(
      '<p>You are signed out of this app. You may still be signed in at the identity service, so the next sign-in may not ask you. On a shared computer, end its session there too.</p><a href="/login">Sign in</a>',
    )
  })

  app.use((req, res, next) => (req.isAuthenticated() ? next() : res.redirect('/login')))

  app.get('/', (_req, res) => {
    res.send('<a href="/me">Me</a><form method="post" action="/logout"><button>Sign out</button></form>')
  })

  app.get('/me', (req, res) => {
    res.json({ sub: req.user?.sub })
  })

  // The cookie is SameSite, so a form on another site cannot send it.
  app.post('/logout', (req, res, next) => {
    req.session.destroy((error) => (error ? next(error) : res.clearCookie('connect.sid').redirect(303, '/signed-out')))
  })

  const respondToError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    // Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
    console.error(JSON.stringify(error))
    const isRefused =
      error instanceof CallbackError || error instanceof TokenValidationError || isErrorCode(error, 'invalid_grant')
    // After any error the sign-in is over, because its code may be used.
    res.status(isRefused ? 400 : 502).send('<p>You could not be signed in.</p><a href="/login">Sign in again</a>')
  }
  app.use(respondToError)
  return app
}
