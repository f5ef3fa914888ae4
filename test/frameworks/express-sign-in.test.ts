import express from 'express'
import { expect, it, vi } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { type ExpressSignInOptions, expressSignIn } from '../../src/express.ts'
import { memoryStore, OidcClient } from '../../src/index.ts'
import { serveListener } from '../support/serve-listener.ts'
import { cookieSecret } from '../support/sign-in-app.ts'
import { browserOf } from '../support/sign-in-browser.ts'

const emulator = createEmulator()
type Options = ExpressSignInOptions<express.Request, express.Response>

async function anApp(options: Partial<Options> = {}, mountedAt = '/') {
  emulator.reset()
  const app = express()
  const errors: unknown[] = []
  const oidc = new OidcClient(emulator.options.oidc)
  const common = { oidc, store: memoryStore(), cookieSecret, onSignIn: () => {} }
  app.use((_, res, next) => {
    res.cookie('earlier', '1')
    next()
  })
  app.use(mountedAt, expressSignIn<express.Request, express.Response>({ ...common, ...options }))
  app.use((req, res) => void res.status(418).send(`${req.method} ${req.path}`))
  const onExpressError: express.ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error)
    res.status(500).send('failed')
  }
  app.use(onExpressError)
  const { url } = await serveListener(app)
  const send = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  return { errors, send, ...browserOf({ send, emulator }) }
}

it('passes tokens, request and response to onSignIn, and keeps its response', async () => {
  const { startSignIn, approve, visit } = await anApp({
    onSignIn: async (tokens, req, res) => {
      await Promise.resolve()
      res.cookie('session', '1').redirect(307, `/home?${tokens.claims.sub}&${req.path}`)
    },
  })

  const response = await visit(approve(await startSignIn()))

  expect(response.status).toBe(307)
  expect(response.headers.get('location')).toBe('/home?user_sample&/callback')
  const names = response.headers.getSetCookie().map((line) => line.split('=')[0])
  expect(names).toEqual(['earlier', expect.stringMatching(/^svc_sign_in_/), 'session'])
})

it('passes an error of onSignIn to Express, and not to onError', async () => {
  const error = new Error('no session')
  const reported: unknown[] = []
  const { startSignIn, approve, visit, errors } = await anApp({
    onSignIn: () => Promise.reject(error),
    onError: (failure) => void reported.push(failure),
  })

  const response = await visit(approve(await startSignIn()))

  expect(response.status).toBe(500)
  expect(errors).toEqual([error])
  expect(reported).toEqual([])
})

it('passes an error of this package that onSignIn throws to Express', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { startSignIn, approve, visit, errors } = await anApp({
    onSignIn: () => new OidcClient({ ...emulator.options.oidc, redirectUri: undefined }).createAuthorization(),
  })

  const response = await visit(approve(await startSignIn()))

  expect(response.status).toBe(500)
  expect(errors).toMatchObject([{ code: 'invalid_params' }])
})

it.each(['POST /login', 'POST /callback', 'HEAD /login', 'GET /', 'GET /login/more', 'GET /Login'])(
  'passes %s on to the rest of the app',
  async (line) => {
    const { send } = await anApp()
    const [method = '', path = ''] = line.split(' ')

    expect((await send(path, { method })).status).toBe(418)
  },
)

it('works if it is mounted below a path, with custom paths', async () => {
  const paths = { login: '/start', callback: '/finish' }
  const redirectUri = 'http://localhost:3000/auth/finish'
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const { send, approve } = await anApp({ paths, oidc }, '/auth')

  const redirect = await send('/auth/start')
  const [cookie = ''] = redirect.headers.getSetCookie().filter((line) => line.startsWith('svc_'))
  const callback = approve(redirect.headers.get('location') ?? '')
  const finished = await send(callback, { headers: { cookie: cookie.split(';')[0] ?? '' } })

  expect(callback).toMatch(/^\/auth\/finish\?code=/)
  expect(finished.status).toBe(303)
  expect((await send('/start')).status).toBe(418)
})

it('passes request and response to onError, and keeps its response', async () => {
  const { send } = await anApp({
    onError: async (error, req, res) => {
      await Promise.resolve()
      res.status(403).json({ code: error.code, path: req.path })
    },
  })

  const response = await send('/callback?code=x&state=y')

  expect(response.status).toBe(403)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({ code: 'callback_refused', path: '/callback' })
})

it('onError can redirect a person with a session who loads the callback again', async () => {
  const { startSignIn, approve, visit, send } = await anApp({
    onSignIn: (_tokens, _req, res) => void res.cookie('session', '1'),
    onError: (_error, req, res) => {
      if (/(?:^|; )session=1/.test(req.headers.cookie ?? '')) res.redirect(303, '/home')
    },
  })
  const callback = approve(await startSignIn())
  await visit(callback)

  const again = await visit(callback)

  expect([again.status, again.headers.get('location')]).toEqual([303, '/home'])
  expect((await send(callback)).status).toBe(400)
})

it('links to the login below the path that the app is mounted at', async () => {
  const { send } = await anApp({ onError: () => {} }, '/auth')

  const page = await (await send('/auth/callback')).text()

  expect(page).toContain('<a href="./login">Sign in again</a>')
  expect((await send('/auth/login')).status).toBe(302)
})
