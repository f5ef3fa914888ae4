import { expect, it, vi } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import {
  createSignInHandler,
  memoryStore,
  OidcClient,
  type SignedInTokens,
  type SignInHandlerOptions,
} from '../../../src/index.ts'
import { cookieSecret } from '../../support/sign-in-app.ts'
import { browserOf } from '../../support/sign-in-browser.ts'

const emulator = createEmulator()

function anApp(options: Partial<SignInHandlerOptions> = {}) {
  emulator.reset()
  const oidc = new OidcClient(emulator.options.oidc)
  const common = { oidc, store: memoryStore(), cookieSecret, onSignIn: () => undefined }
  const handler = createSignInHandler({ ...common, ...options })
  const send = (path: string, init: RequestInit = {}) =>
    handler.fetch(new Request(`http://localhost:3000${path}`, init))
  return { send, ...browserOf({ send, emulator }) }
}

it('returns the response of onSignIn, and deletes the cookie of the sign-in', async () => {
  const { startSignIn, approve, visit } = anApp({
    onSignIn: async (tokens, request) => {
      const headers = new Headers({
        location: `/home?${tokens.claims.sub}&${new URL(request.url).pathname}`,
      })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      return new Response('welcome', { status: 307, headers })
    },
  })

  const response = await visit(approve(await startSignIn()))

  expect(response.status).toBe(307)
  expect(await response.text()).toBe('welcome')
  expect(response.headers.get('location')).toBe('/home?user_sample&/callback')
  const cookies = response.headers.getSetCookie()
  expect(cookies).toEqual(['a=1', 'b=2', expect.stringMatching(/^svc_sign_in_[\w-]{16}=; Max-Age=0; /)])
})

it('returns a redirect of onSignIn, whose headers are immutable', async () => {
  const { startSignIn, approve, visit } = anApp({
    onSignIn: () => Response.redirect('http://localhost:3000/home', 302),
  })

  const response = await visit(approve(await startSignIn()))

  expect([response.status, response.headers.get('location')]).toEqual([302, 'http://localhost:3000/home'])
})

it('rejects with the error that onSignIn throws, also if it is from this package', async () => {
  const reported: unknown[] = []
  const { startSignIn, approve, visit } = anApp({
    onSignIn: async () => {
      await new OidcClient({ ...emulator.options.oidc, redirectUri: undefined }).createAuthorization()
      return undefined
    },
    onError: (error) => void reported.push(error),
  })

  await expect(visit(approve(await startSignIn()))).rejects.toMatchObject({ code: 'invalid_params' })
  expect(reported).toEqual([])
})

it('signs a person in through a fetch that was taken off the handler', async () => {
  emulator.reset()
  const oidc = new OidcClient(emulator.options.oidc)
  const onSignIn = ({ claims }: SignedInTokens) => new Response(`hello ${claims.sub}`)
  const { fetch } = createSignInHandler({ oidc, store: memoryStore(), cookieSecret, onSignIn })
  const send = (path: string, init?: RequestInit) => fetch(new Request(`http://localhost:3000${path}`, init))
  const { startSignIn, approve, visit } = browserOf({ send, emulator })

  expect(await (await visit(approve(await startSignIn()))).text()).toBe('hello user_sample')
})

it.each([
  ['GET', '/', 404, 'not found', null],
  ['GET', '/login/more', 404, 'not found', null],
  ['POST', '/login', 405, 'method not allowed', 'GET'],
  ['POST', '/callback', 405, 'method not allowed', 'GET'],
])('responds to %s %s with %i', async (method, path, status, text, allow) => {
  const response = await anApp().send(path, { method })

  expect(response.status).toBe(status)
  expect(await response.text()).toBe(text)
  expect(response.headers.get('allow')).toBe(allow)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(response.headers.getSetCookie()).toEqual([])
})

it('returns the response of onError, which gets the request', async () => {
  const { send } = anApp({
    onError: async (error, { request }) =>
      Response.json({ code: error.code, path: new URL(request.url).pathname }, { status: 403 }),
  })

  const response = await send('/callback?code=x&state=y')

  expect(response.status).toBe(403)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({ code: 'callback_refused', path: '/callback' })
})

const used = () => {
  const response = new Response('used')
  return response.text().then(() => response)
}

it.each([
  ['a number', () => 1],
  ['a text', () => 'text'],
  ['an object', () => ({ status: 200 })],
  ['a response that was read', used],
  ['a response that cannot be sent', () => Response.error()],
])('sends the page of a failed sign-in if onError returns %s', async (_, onError) => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { send } = anApp({ onError: onError as never })

  const response = await send('/callback?code=x&state=y')

  expect(response.status).toBe(400)
  expect(await response.text()).toContain('Sign in again')
  expect(written.mock.calls.join()).toContain('onError threw')
})

it('redirects a person who is signed in if onSignIn returns something else than a Response', async () => {
  const written = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { startSignIn, approve, visit } = anApp({ onSignIn: (() => new Map()) as never })

  const response = await visit(approve(await startSignIn()))

  expect([response.status, response.headers.get('location')]).toEqual([303, '/'])
  expect(written.mock.calls.join()).toContain('onSignIn must return a Response, or nothing')
})
