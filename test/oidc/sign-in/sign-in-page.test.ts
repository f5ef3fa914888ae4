import { expect, it } from 'vitest'
import { ConfigurationError, memoryStore, OidcClient, type Store } from '../../../src/index.ts'
import { linkBetween, signInPage } from '../../../src/oidc/sign-in/sign-in-page.ts'
import { adapters, signInApp } from '../../support/sign-in-app.ts'
import { browserOf, reasonOn } from '../../support/sign-in-browser.ts'

const forBothAdapters = it.each(adapters.map((form) => ({ form })))
const localUri = 'http://127.0.0.1:3000/auth/callback'

/** Returns the link to sign in again, as the browser resolves it. */
const linkOn = (page: string, pageUrl: string) =>
  new URL(/<a href="([^"]*)">Sign in again<\/a>/.exec(page)?.[1] ?? 'no link', pageUrl).href

forBothAdapters('$form: shows a page with a link to sign in again if the person declined', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, deny, visit } = browserOf(app)

  const response = await visit(deny(await startSignIn()))

  const page = await response.text()
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(page).toContain('<h1>Sign-in failed</h1>')
  expect(page).toContain('The sign-in was declined, or it could not be completed.')
  expect(linkOn(page, 'https://app.example.test/auth/callback?error=access_denied')).toBe(
    'https://app.example.test/login',
  )
})

forBothAdapters('$form: the link on the page of a refused sign-in starts a new one', async ({ form }) => {
  const app = await signInApp(form)
  const browser = browserOf(app)
  const page = await (await browser.visit('/auth/callback?code=x&state=y')).text()

  const { pathname } = new URL(linkOn(page, 'https://app.example.test/auth/callback'))
  const consent = (await browser.visit(pathname)).headers.get('location') ?? ''

  expect((await browser.visit(browser.approve(consent))).status).toBe(303)
})

forBothAdapters('$form: shows a page without a link if the login route is not set up', async ({ form }) => {
  const createAuthorization = () => Promise.reject(new ConfigurationError({ message: 'not ready' }))
  const handleCallback = () => Promise.reject(new Error('not reached'))
  const { send } = await signInApp(form, { oidc: { createAuthorization, handleCallback } })

  const response = await send('/login')

  const page = await response.text()
  expect(response.status).toBe(500)
  expect(page).toContain('This app is not set up correctly for sign-in.')
  expect(page).not.toContain('<a ')
})

const rejections = ['invalid_scope', 'invalid_client', 'unauthorized_client', 'unsupported_response_type']
const faultsOfConfiguration = [
  ...rejections.map((error) => ({ what: `${error} in the callback`, error, status: 400 })),
  { what: 'invalid_client at the exchange', fault: { status: 401, code: 'invalid_client' }, status: 500 },
  { what: 'unauthorized_client at the exchange', fault: { status: 403, code: 'unauthorized_client' }, status: 500 },
  { what: 'another issuer in the token', issuer: 'https://other.example.test', status: 400 },
] as const

it.each(adapters.flatMap((form) => faultsOfConfiguration.map((row) => ({ form, error: undefined, ...row }))))(
  '$form: does not ask the person to sign in again after $what',
  async ({ form, error, status, ...row }) => {
    const setUp = await signInApp(form, { redirectUri: localUri })
    const issuer = 'issuer' in row ? { issuer: row.issuer } : {}
    const oidc = new OidcClient({ ...setUp.emulator.options.oidc, redirectUri: localUri, ...issuer })
    const app = await signInApp(form, { redirectUri: localUri, oidc })
    if ('fault' in row) app.emulator.faults.add({ match: 'oidc.exchangeCode', ...row.fault })
    const { startSignIn, approve, visit } = browserOf(app)
    const callback = approve(await startSignIn())

    const response = await visit(error === undefined ? callback : callback.replace(/code=[^&]*/, `error=${error}`))

    const page = await response.text()
    expect(response.status).toBe(status)
    expect(page).toContain('This app is not set up correctly for sign-in.')
    expect(page).not.toContain('Sign in again')
    if (error !== undefined) expect(page).toContain('<b>For developers:</b> Sent: client_id')
    expect(app.failures[0]?.message).not.toContain('Let the person sign in again')
  },
)

forBothAdapters('$form: a page loads nothing, is not stored, and hides its URL', async ({ form }) => {
  const { send } = await signInApp(form)

  const { headers } = await send('/auth/callback?code=x&state=y')

  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
})

it.each(
  adapters.flatMap((form) =>
    [
      '?error=<script>alert(1)</script>',
      '?code=x&state=%22%3E%3Cimg%20src=x%3E',
      '?error=access_denied&error_description=%3Cb%3Etrust%20me%3C/b%3E',
      '?code=<b>&code=<b>',
      '?"><b>=1&code=x',
    ].map((query) => ({ form, query })),
  ),
)('$form: shows no text of the query $query on the page', async ({ form, query }) => {
  const { send } = await signInApp(form, { redirectUri: localUri })

  const page = await (await send(`/auth/callback${query}`)).text()

  expect(page).not.toMatch(/<script|<img|<b>(?!For developers)|trust/)
})

it('escapes every text of a page', () => {
  const hostile = `"'><i>&`

  const page = signInPage({ explanation: hostile, reason: hostile, hint: hostile, loginUrl: hostile })

  expect(page.split('&quot;&#39;&gt;&lt;i&gt;&amp;')).toHaveLength(5)
  expect(page).not.toContain('<i>')
})

it.each([
  ['/callback', '/login', '/login'],
  ['/auth/callback', '/login', '/login'],
  ['/auth/callback', '/auth/login', '/auth/login'],
  ['/callback/', '/login/', '/login/'],
  ['/a/b/c', '/javascript:x', '/javascript:x'],
  ['/login', '/login', '/login'],
])('links from %s to %s also below a path that only the browser has', (from, to, path) => {
  for (const prefix of ['', '/app', '/deep/app'])
    expect(new URL(linkBetween(from, to), `https://app.test${prefix}${from}`).pathname).toBe(prefix + path)
})

forBothAdapters(
  '$form: names localhost and 127.0.0.1 on the page if the cookie is missing on a development machine',
  async ({ form }) => {
    const app = await signInApp(form, { redirectUri: localUri })
    const atLocalhost = browserOf(app)
    const callback = atLocalhost.approve(await atLocalhost.startSignIn())

    const response = await browserOf(app).visit(callback)

    const page = await response.clone().text()
    expect(await reasonOn(response)).toBe('state mismatch')
    expect(page).toContain('localhost and 127.0.0.1 are different hosts for cookies')
    expect(page).toContain('open the app at http://127.0.0.1:3000, the host of redirectUri')
    expect(app.failures).toMatchObject([
      {
        message: expect.stringContaining(': state mismatch. '),
        hint: expect.stringMatching(/localhost and 127\.0\.0\.1/),
      },
    ])
  },
)

forBothAdapters('$form: does not name localhost if the sign-in was finished before', async ({ form }) => {
  const app = await signInApp(form, { redirectUri: localUri })
  const { startSignIn, approve, visit, cookies } = browserOf(app)
  const callback = approve(await startSignIn())
  const kept = new Map(cookies)
  await visit(callback)
  for (const [name, value] of kept) cookies.set(name, value)

  const page = await (await visit(callback)).text()

  expect(page).toContain('This sign-in was finished before')
  expect(page).not.toContain('localhost')
})

forBothAdapters('$form: says of a second callback that the store may have failed in the first', async ({ form }) => {
  const working = memoryStore()
  let isFirst = true
  const store: Store = {
    ...working,
    async set(...entry) {
      const isSet = await working.set(...entry)
      if (!isFirst) return isSet
      isFirst = false
      throw new Error('the response was lost')
    },
  }
  const app = await signInApp(form, { redirectUri: localUri, store })
  const { startSignIn, approve, visit } = browserOf(app)
  const callback = approve(await startSignIn())

  expect((await visit(callback)).status).toBe(503)
  expect(await (await visit(callback)).text()).toContain('or its store failed in the first callback')
})

forBothAdapters('$form: shows no advice for developers on a public page', async ({ form }) => {
  const app = await signInApp(form)

  const page = await (await app.send('/auth/callback?code=x&state=y')).text()

  expect(page).not.toMatch(/developer|localhost|cookie/)
  expect(app.failures).toMatchObject([{ hint: expect.stringMatching(/^The browser has sent no cookie/) }])
})

forBothAdapters('$form: works with a client whose redirect URI is unknown', async ({ form }) => {
  const { oidc } = await signInApp(form)
  const fake = {
    createAuthorization: () => oidc.createAuthorization(),
    handleCallback: oidc.handleCallback.bind(oidc),
  }
  const { send, failures } = await signInApp(form, { oidc: fake })

  expect(await reasonOn(await send('/auth/callback?code=x&state=y'))).toBe('state mismatch')
  expect(failures).toMatchObject([{ hint: expect.not.stringContaining('localhost') }])
})
