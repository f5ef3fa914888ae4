import express from 'express'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/emulator.ts'
import { type ExpressSignInOptions, expressSignIn } from '../../src/express.ts'
import { memoryStore, OidcClient } from '../../src/index.ts'
import { listening } from '../support/listening.ts'
import { browserOf, cookieSecret } from '../support/signing-in.ts'

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
  const hear: express.ErrorRequestHandler = (error, _req, res, _next) => {
    errors.push(error)
    res.status(500).send('told')
  }
  app.use(hear)
  const { url } = await listening(app)
  const send = (path: string, init: RequestInit = {}) => fetch(url + path, { redirect: 'manual', ...init })
  return { errors, send, ...browserOf({ send, emulator }) }
}

it('hands tokens, request and response to onSignIn, whose answer stands', async () => {
  const { begin, approve, visit } = await anApp({
    onSignIn: async (tokens, req, res) => {
      await Promise.resolve()
      res.cookie('session', '1').redirect(307, `/home?${tokens.claims?.sub}&${req.path}`)
    },
  })

  const response = await visit(approve(await begin()))

  expect(response.status).toBe(307)
  expect(response.headers.get('location')).toBe('/home?user_sample&/callback')
  const names = response.headers.getSetCookie().map((line) => line.split('=')[0])
  expect(names).toEqual(['earlier', expect.stringMatching(/^svc_sign_in_/), 'session'])
})

it('goes to / where onSignIn leaves the answer to it', async () => {
  const { begin, approve, visit } = await anApp()

  const response = await visit(approve(await begin()))

  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
})

it('hands what onSignIn throws to Express, and not to onError', async () => {
  const error = new Error('no session')
  const heard: unknown[] = []
  const { begin, approve, visit, errors } = await anApp({
    onSignIn: () => Promise.reject(error),
    onError: (failure) => void heard.push(failure),
  })

  const response = await visit(approve(await begin()))

  expect(response.status).toBe(500)
  expect(errors).toEqual([error])
  expect(heard).toEqual([])
})

it('hands an error of this package that onSignIn throws to Express', async () => {
  const { begin, approve, visit, errors } = await anApp({
    onSignIn: () =>
      new OidcClient({ ...emulator.options.oidc, redirectUri: undefined }).createAuthorization(),
  })

  const response = await visit(approve(await begin()))

  expect(response.status).toBe(500)
  expect(errors).toMatchObject([{ code: 'invalid_params' }])
})

it.each(['POST /login', 'POST /callback', 'HEAD /login', 'GET /', 'GET /login/more', 'GET /Login'])(
  'leaves %s to the rest of the app',
  async (line) => {
    const { send } = await anApp()
    const [method = '', path = ''] = line.split(' ')

    expect((await send(path, { method })).status).toBe(418)
  },
)

it('works where it is mounted below a path, and at paths of its own', async () => {
  const paths = { login: '/begin', callback: '/end' }
  const redirectUri = 'http://localhost:3000/auth/end'
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const { send, approve } = await anApp({ paths, oidc }, '/auth')

  const away = await send('/auth/begin')
  const [cookie = ''] = away.headers.getSetCookie().filter((line) => line.startsWith('svc_'))
  const callback = approve(away.headers.get('location') ?? '')
  const back = await send(callback, { headers: { cookie: cookie.split(';')[0] ?? '' } })

  expect(callback).toMatch(/^\/auth\/end\?code=/)
  expect(back.status).toBe(303)
  expect((await send('/begin')).status).toBe(418)
})
