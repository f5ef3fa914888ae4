import { createHash } from 'node:crypto'
import connectPg from 'connect-pg-simple'
import express, { type ErrorRequestHandler, type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import {
  ApiError,
  isErrorCode,
  isSdkError,
  type OidcClient,
  OutcomeUnknownError,
  parseReturnUrl,
  verifyWebhook,
  WebhookVerificationError,
} from 'identity-service-sdk'
import { expressSignIn } from 'identity-service-sdk/express'
import multer from 'multer'
import { type Account, readAccount } from './database.ts'
import type { openQueue } from './queue.ts'
import { isUsedUp, PUBLIC_URL, type Service } from './service.ts'

const yearMs = 365 * 86_400_000
const maxPhotoBytes = 20 * 1024 * 1024 - 1

declare module 'express-session' {
  interface SessionData {
    sub: string
  }
}

/** A response to a person who is signed in. */
type MemberResponse = Response<unknown, { account: Account }>

interface Settings extends Service {
  oidc: OidcClient
  queue: ReturnType<typeof openQueue>
}

/** A clinic: staff sign in, verify themselves once, send a photo of their ID, and are then in the roster. */
export function createApp({ pool, store, client, verifications, oidc, queue }: Settings) {
  const { SESSION_SECRET: secret, SVC_WEBHOOK_SECRET } = process.env
  if (!secret) throw new Error('SESSION_SECRET is missing: set it to a random text of 32 characters')
  if (!SVC_WEBHOOK_SECRET) throw new Error('SVC_WEBHOOK_SECRET is missing: without it, every webhook is rejected')
  const app = express().disable('x-powered-by')

  // The signature covers the raw bytes. It is checked here, because it is only accepted for five minutes.
  app.post('/webhooks', express.raw({ type: () => true, limit: '8mb' }), async (req, res) => {
    const { decision, ...event } = await verifyWebhook({ body: req.body, headers: req.headers })
    await queue.add(event.type, event)
    // From here on, the queue keeps the event, so the service need not send it again.
    res.sendStatus(200)
  })

  app.set('trust proxy', 1) // one proxy, which ends TLS
  app.use(
    session({
      store: new (connectPg(session))({ pool }),
      secret,
      cookie: { sameSite: 'lax', secure: PUBLIC_URL.startsWith('https:'), maxAge: 8 * 3_600_000 },
      resave: false,
      saveUninitialized: false,
    }),
  )

  app.use(
    expressSignIn({
      oidc,
      store,
      async onSignIn({ claims: { sub } }, req, res) {
        await pool.query('INSERT INTO accounts (sub) VALUES ($1) ON CONFLICT DO NOTHING', [sub])
        if ((await readAccount(pool, sub))?.closed_at) return void res.status(403).send(isClosed)
        // A new session, so that nobody can prepare one for somebody else. The redirect waits until it is stored.
        await new Promise<void>((resolve, reject) =>
          req.session.regenerate((error) => (error ? reject(error) : resolve())),
        )
        req.session.sub = sub
      },
      onError: logError,
    }),
  )

  app.use(async (req, res: MemberResponse, next) => {
    const account = req.session.sub === undefined ? undefined : await readAccount(pool, req.session.sub)
    if (!account)
      return res.redirect(req.method === 'GET' ? `/login?returnTo=${encodeURIComponent(req.url)}` : '/login')
    if (account.closed_at) return res.status(403).send(isClosed)
    res.locals.account = account
    return next()
  })

  app.get('/', (_req, res: MemberResponse) => {
    const { email, verification, document } = res.locals.account
    if (email === null)
      return res.send(form('/email', '<input name="email" type="email" required> <button>Save</button>'))
    res.send(`<p>Verification: ${verification}</p><p>Document: ${document ?? 'none'}</p>
      ${form('/verification', '<button>Verify</button>')}
      <form method="post" action="/document" enctype="multipart/form-data">
        <input type="file" name="image" accept="image/*" required> <button>Send a photo</button>
      </form>
      <a href="/wards">Wards</a> ${form('/logout', '<button>Sign out</button>')}
      ${form('/close', '<button>Close my account</button>')}`)
  })

  // In a real app, confirm the address first, or take it from your own records: approved people are invited there.
  app.post('/email', express.urlencoded({ extended: false }), async (req, res: MemberResponse) => {
    // In lower case, because the roster does not distinguish it: nobody else may have the address.
    const email = String(Object(req.body).email).toLowerCase()
    if (!/^[^\s@<>,;"/]+@[^\s@<>,;"/]+$/.test(email)) return res.status(400).send('<p>The email is missing.</p>')
    const update = 'UPDATE accounts SET email = $2 WHERE sub = $1 AND email IS NULL'
    try {
      await pool.query(update, [res.locals.account.sub, email])
    } catch (error) {
      if (Object(error).code !== '23505') throw error // unique_violation
      return res.status(409).send('<p>Another account has this email.</p>')
    }
    return res.redirect(303, '/')
  })

  app.post('/verification', async (_req, res: MemberResponse) => {
    // Who is approved is invited at this address.
    if (res.locals.account.email === null) return res.redirect(303, '/')
    // Resumes an open session, or creates one, also if the approval is too old for the gate below.
    const { state, url } = await verifications.start(
      res.locals.account.sub,
      {},
      { renew: { olderThanMs: yearMs }, deadlineMs: 10_000 },
    )
    return res.redirect(303, state === 'open' ? url : '/')
  })

  app.get('/return', async (req, res: MemberResponse) => {
    // The person is back, perhaps before the webhook. Anyone can forge the parameters, so the session of this person is
    // read from the service. If that fails, the webhook brings the outcome, or the job of the worker finds it.
    if (parseReturnUrl(req.url).sessionId)
      await verifications.refresh(res.locals.account.sub, { deadlineMs: 5_000 }).catch(logError)
    res.redirect(303, '/')
  })

  const upload = multer({ storage: multer.memoryStorage(), limits: { files: 1, fileSize: maxPhotoBytes } })
  const checkDocument = async ({ file }: Request, res: MemberResponse) => {
    if (!file?.size) return res.status(400).send('<p>Choose a photo.</p>')
    const { sub } = res.locals.account
    const { status } = await client.checks.idVerification(
      { front_image: { data: file.buffer, filename: 'document' } },
      {
        spendKey: sub,
        // The same photo of the same person for the same check is the same call, so it is billed once, also if a response
        // was lost.
        idempotencyKey: createHash('sha256').update(`id_verification\n${sub}\n`).update(file.buffer).digest('hex'),
      },
    )
    await pool.query('UPDATE accounts SET document = $2 WHERE sub = $1', [sub, status])
    return res.redirect(303, '/')
  }
  const respondToPhoto: ErrorRequestHandler = (error: unknown, { file }, res, next) => {
    if (!file && !isSdkError(error)) return res.status(400).send('<p>The upload is incomplete or too large.</p>')
    const isOfPhoto = error instanceof ApiError && [400, 413, 422].includes(error.status)
    if (!isOfPhoto && !isErrorCode(error, 'invalid_params')) return next(error)
    logError(error)
    return res.status(422).send('<p>The photo cannot be used. Take another one.</p>')
  }
  app.post('/document', upload.single('image'), checkDocument, respondToPhoto)

  // `next` is called by the promise, so that a missing `await` cannot let anybody in.
  const approvedOnly = (_req: Request, res: MemberResponse, next: NextFunction) => {
    verifications.ensureApproved(res.locals.account.sub, { maxAgeMs: yearMs }).then(() => next(), next)
  }
  app.get('/wards', approvedOnly, (_req, res) => {
    res.send('<p>Welcome. Here are the wards.</p>')
  })

  // From here on, no page lets the person in. A job of the worker does the rest.
  app.post('/close', async (_req, res: MemberResponse) => {
    const { sub } = res.locals.account
    await pool.query('UPDATE accounts SET closed_at = now() WHERE sub = $1', [sub])
    await pool.query("DELETE FROM session WHERE sess ->> 'sub' = $1", [sub])
    res.clearCookie('connect.sid').send(isClosed)
  })

  app.post('/logout', async (req, res) => {
    await new Promise<void>((resolve, reject) => req.session.destroy((error) => (error ? reject(error) : resolve())))
    res.clearCookie('connect.sid').redirect(303, '/login')
  })

  const respondToError: ErrorRequestHandler = (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    if (isErrorCode(error, 'not_verified')) return res.status(403).send(`<p>Not verified: ${error.reason}</p>`)
    if (isErrorCode(error, 'verification_limit')) {
      res.set('retry-after', String(Math.ceil(error.retryAfterMs / 1000)))
      return res.status(429).send('<p>Too many attempts. Try again later.</p>')
    }
    if (isUsedUp(error)) return res.status(429).send('<p>Too many photos. Try again tomorrow.</p>')
    logError(error)
    if (error instanceof WebhookVerificationError) return res.status(400).json({ reason: error.reason })
    if (error instanceof OutcomeUnknownError) return res.status(503).send('<p>Send the same photo again.</p>')
    // Errors of multer and of the body parser are the sender's. All others are temporary, or a fault of this app.
    const isOfSender = error instanceof multer.MulterError || Object(error).expose === true
    return isOfSender ? res.sendStatus(400) : res.status(503).send('<p>Not available. Try again later.</p>')
  }
  app.use(respondToError)
  return app
}

const isClosed = '<p>This account is closed.</p>'

const form = (action: string, fields: string) => `<form method="post" action="${action}">${fields}</form>`

// Errors of this package contain no secrets and no personal data. Give their requestId to the service's support.
function logError(error: unknown) {
  console.error(JSON.stringify({ error: isSdkError(error) ? error : String(error) }))
}
