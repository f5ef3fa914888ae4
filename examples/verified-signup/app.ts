import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express'
import {
  type EventConsumer,
  isErrorCode,
  isSdkError,
  parseReturnUrl,
  type Store,
  type VerificationManager,
} from 'identity-service-sdk'
import { expressWebhook } from 'identity-service-sdk/express'
import type { Pool } from 'pg'

const yearMs = 365 * 86_400_000

interface Settings {
  pool: Pool
  store: Store
  verifications: VerificationManager
}

interface Account {
  id: string
  verification: string
}

/** A response for an account that exists. */
type AccountResponse = Response<unknown, { account: Account }>

/** A shop for adults: people sign up, verify once, and then see the wine. */
export function createApp({ pool, store, verifications }: Settings) {
  const app = express().disable('x-powered-by')

  app.get('/', (_req, res) => {
    res.send('<form method="post" action="/accounts"><input name="email"> <button>Sign up</button></form>')
  })

  app.post('/accounts', express.urlencoded({ extended: false }), async (req, res) => {
    const { email } = Object(req.body) // undefined if the request has no form
    if (typeof email !== 'string' || email === '') return res.status(400).send('<p>The email is missing.</p>')
    const insert = 'INSERT INTO accounts (email) VALUES ($1) RETURNING id'
    const { rows } = await pool.query<Pick<Account, 'id'>>(insert, [email])
    res.redirect(303, `/accounts/${rows[0]?.id}`)
  })

  // In a real app, take the account from your own sign-in, because anyone can type a path.
  app.param('id', async (_req, res, next, id) => {
    const select = 'SELECT id, verification FROM accounts WHERE id::text = $1'
    const { rows } = await pool.query<Account>(select, [id])
    if (rows.length === 0) return res.sendStatus(404)
    res.locals.account = rows[0]
    next()
  })

  app.get('/accounts/:id', async (req, res: AccountResponse) => {
    const { id, verification } = res.locals.account
    if (parseReturnUrl(req.url).sessionId) {
      // The person is back from the hosted page, perhaps before the webhook. Anyone can forge the parameters, so they
      // are not used: refresh reads the person's own session from the service.
      await verifications.refresh(id)
      return res.redirect(303, `/accounts/${id}`)
    }
    const button = `<form method="post" action="/accounts/${id}/verification"><button>Verify</button></form>`
    const link = `<a href="/accounts/${id}/wine">Wine</a>`
    res.send(`<p>Verification: ${verification}</p>${verification === 'approved' ? link : button}`)
  })

  app.post('/accounts/:id/verification', async (_req, res: AccountResponse) => {
    const { id } = res.locals.account
    // Resumes an open session, or creates one. Nobody who is approved or in review gets another.
    const { state, url } = await verifications.start(id)
    res.redirect(303, state === 'open' ? url : `/accounts/${id}`)
  })

  // `next` is called by the promise, so that a missing `await` cannot let anybody in.
  const approvedOnly = (_req: Request, res: AccountResponse, next: NextFunction) => {
    verifications.ensureApproved(res.locals.account.id, { maxAgeMs: yearMs }).then(() => next(), next)
  }

  app.get('/accounts/:id/wine', approvedOnly, (_req, res) => {
    res.send('<p>Welcome. Here is the wine.</p>')
  })

  // One row for each event, although an event can be handled again after a crash: its id is the key of the row.
  const eventLog: EventConsumer = {
    async handle({ event_id, vendor_data, type }) {
      const select = 'SELECT $1, id, $3 FROM accounts WHERE id::text = $2'
      const insert = `INSERT INTO account_log (event_id, account, entry) ${select} ON CONFLICT DO NOTHING`
      await pool.query(insert, [event_id, vendor_data, type])
    },
  }

  // No body parser may run before this route, because the signature covers the raw bytes.
  const webhook = expressWebhook({
    store,
    consumers: [verifications, eventLog],
    onError: (error, { event }) => logError(error, event?.event_id),
  })
  app.post('/webhooks', webhook)

  const respondToError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (!isSdkError(error) || res.headersSent) return next(error)
    if (isErrorCode(error, 'not_verified')) return res.status(403).send(`<p>Not verified: ${error.reason}</p>`)
    if (isErrorCode(error, 'verification_limit')) {
      res.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)))
      return res.status(429).send('<p>Too many attempts. Try again later.</p>')
    }
    logError(error)
    res.status(503).send('<p>Verification is not available. Try again later.</p>')
  }
  app.use(respondToError)
  return app
}

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error: unknown, eventId?: string) {
  console.error(JSON.stringify({ eventId, error: isSdkError(error) ? error : String(error) }))
}
