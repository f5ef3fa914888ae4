import { ExpressAuth, type ExpressAuthConfig, getSession } from '@auth/express'
import express from 'express'
import { isSdkError } from 'identity-service-sdk'
import type { identityService } from './provider.ts'

interface Settings {
  provider: ReturnType<typeof identityService>
  secret: string
  isSecure: boolean
}

/** An app with sign-in. Auth.js serves the routes below /auth, and keeps the session in an encrypted cookie. */
export function createApp({ provider, secret, isSecure }: Settings) {
  const app = express().disable('x-powered-by')
  // Auth.js builds the redirect URI from the address of the request.
  app.set('trust proxy', isSecure ? 1 : false)

  const config: ExpressAuthConfig = {
    providers: [provider],
    secret,
    trustHost: true,
    session: { strategy: 'jwt', maxAge: 8 * 3600 },
    callbacks: {
      // Without a database, Auth.js would give the person another random `sub` at each sign-in.
      jwt: ({ token, account }) => (account ? { sub: account.providerAccountId } : token),
      session: ({ session: { expires }, token }) => ({ expires, user: { id: token.sub ?? '' } }),
    },
    pages: { error: '/not-signed-in' }, // the page of Auth.js blames the configuration, for every failure
    logger: { error: logError },
  }
  app.use('/auth', ExpressAuth(config))

  app.get('/not-signed-in', (_req, res) => {
    res.status(400).send('<p>You could not be signed in.</p><a href="/auth/signin">Sign in again</a>')
  })

  app.get('/signed-out', (_req, res) => {
    // The service documents no path that ends its own session, so the page must not promise it.
    res.send(
      '<p>You are signed out of this app. You may still be signed in at the identity service, so the next sign-in may not ask you. On a shared computer, end its session there too.</p><a href="/auth/signin">Sign in</a>',
    )
  })

  app.use(async (req, res, next) => {
    const session = await getSession(req, config)
    if (!session) return res.redirect(`/auth/signin?${new URLSearchParams({ callbackUrl: req.originalUrl })}`)
    res.locals.member = session.user
    return next()
  })

  app.get('/', (_req, res) => {
    res.send('<a href="/me">Me</a> <a href="/auth/signout?callbackUrl=/signed-out">Sign out</a>')
  })

  app.get('/me', (_req, res) => {
    res.json(res.locals.member)
  })
  return app
}

// Errors of this package contain no secrets and no personal data. Auth.js puts the cause into `error.cause.err`.
function logError(error: Error) {
  const { err = error } = (error.cause ?? {}) as { err?: unknown }
  console.error(JSON.stringify({ name: error.name, error: isSdkError(err) ? err : String(err) }))
}
