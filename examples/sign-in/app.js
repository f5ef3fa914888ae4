import express from 'express'
import { isSdkError } from 'identity-service-sdk'
import { expressSignIn } from 'identity-service-sdk/express'

/**
 * An app that people sign in to: `/login` sends them to the consent page, `/callback` takes them back, and `/me` says
 * who they are. A real app keeps its own session; this one keeps a table of them.
 *
 * @param {object} settings
 * @param {import('identity-service-sdk').OidcClient} settings.oidc
 * @param {import('identity-service-sdk').Store} settings.store shared by all processes that take callbacks
 * @param {string} settings.cookieSecret at least 32 characters
 */
export function createApp({ oidc, store, cookieSecret }) {
  const app = express()
  /** @type {Map<string, import('identity-service-sdk').IdTokenClaims>} */
  const sessions = new Map()

  app.use(
    expressSignIn({
      oidc,
      store,
      cookieSecret,
      onSignIn: (tokens, _req, /** @type {import('express').Response} */ res) => {
        if (!tokens.claims) throw new Error('no id_token came')
        const id = crypto.randomUUID()
        sessions.set(id, tokens.claims)
        res.cookie('session', id, { httpOnly: true, sameSite: 'lax' }).redirect(303, '/me')
      },
      onError: (error) => console.error(isSdkError(error) ? `sign-in failed: ${error.message}` : error),
    }),
  )

  app.get('/me', (req, res) => {
    const [, id = ''] = /(?:^|; )session=([\w-]+)/.exec(req.headers.cookie ?? '') ?? []
    const claims = sessions.get(id)
    if (claims) res.json(claims)
    else res.redirect('/login')
  })

  return app
}
