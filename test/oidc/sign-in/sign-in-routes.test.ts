// Test data: cspell:ignore xlogin größe

import express from 'express'
import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/emulator.ts'
import { expressSignIn } from '../../../src/express.ts'
import { createSignInHandler, memoryStore, OidcClient } from '../../../src/index.ts'
import type { SignInOptions } from '../../../src/oidc/sign-in/sign-in.ts'
import { serveListener } from '../../support/serve-listener.ts'
import { type Adapter, adapters, cookieSecret, signInApp } from '../../support/sign-in-app.ts'
import { browserOf } from '../../support/sign-in-browser.ts'

const forBothAdapters = it.each(adapters.map((form) => ({ form })))
const origin = 'https://app.example.test'
const emulator = createEmulator({
  oidc: { redirectUris: ['', '/app', '/auth'].map((at) => `${origin}${at}/callback`) },
})

interface Sent {
  readonly redirectUri?: string | readonly string[]
  readonly paths?: SignInOptions['paths']
  readonly headers?: Record<string, string>
  readonly url?: string
}

/** The status and the body of a response to a URL that a Next.js, Hono or Workers app passes on. */
async function fetched({ redirectUri = `${origin}/callback`, paths, headers = {}, url = '' }: Sent) {
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const common = { oidc, store: memoryStore(), cookieSecret, paths, onError: () => undefined }
  const { fetch } = createSignInHandler({ ...common, onSignIn: () => undefined })
  return fetch(new Request(new URL(url, origin), { headers }))
}

const linkOn = (page: string) => /<a href="([^"]*)">Sign in again<\/a>/.exec(page)?.[1]

it.each<[what: string, prefix: string, slash: string, inBrowser: string, options: Sent]>([
  ['at the root', '', '', '', {}],
  ['with a slash at the end', '', '/', '', {}],
  ['with a slash at the end of redirectUri too', '', '/', '', { redirectUri: `${origin}/callback/` }],
  ['below a basePath that Next.js removes', '', '', '/app', { redirectUri: `${origin}/app/callback` }],
  ['below a basePath, with a slash at the end', '', '/', '/app', { redirectUri: `${origin}/app/callback` }],
  [
    'below a basePath that is in the paths too',
    '',
    '',
    '/app',
    { redirectUri: `${origin}/app/callback`, paths: { login: '/app/login', callback: '/app/callback' } },
  ],
  ['below a prefix that stays', '/auth', '', '/auth', { redirectUri: `${origin}/auth/callback` }],
  [
    'below a prefix, with paths below it',
    '/auth',
    '',
    '/auth',
    { redirectUri: `${origin}/auth/callback`, paths: { login: '/login', callback: '/callback' } },
  ],
  ['below two prefixes', '/auth', '', '/app/auth', { redirectUri: `${origin}/app/auth/callback` }],
])('finds both routes %s without a second list of paths', async (_, prefix, slash, inBrowser, options) => {
  const login = await fetched({ ...options, url: `${prefix}/login${slash}` })
  const refused = await fetched({ ...options, url: `${prefix}/callback${slash}?code=x&state=y` })

  expect(login.status).toBe(302)
  expect(refused.status).toBe(400)
  const link = linkOn(await refused.text()) ?? 'none'
  expect(new URL(link, `${origin}${inBrowser}/callback${slash}`).pathname).toBe(`${inBrowser}/login`)
})

it.each(['/', '//', '/admin/login', '/callback/login', '/xlogin', '/login//', '/app', '/app/', '/pp/login'])(
  'has no route %s',
  async (url) => {
    for (const redirectUri of [`${origin}/callback`, `${origin}/app/callback`])
      expect((await fetched({ redirectUri, url: `${origin}${url}` })).status).toBe(404)
  },
)

it.each<[what: string, mountedAt: string, redirectPath: string, paths: SignInOptions['paths'], routes: string[]]>([
  ['at the root', '/', '/callback', undefined, ['/login', '/login/', '/callback']],
  ['mounted below a path', '/auth', '/auth/callback', undefined, ['/auth/login', '/auth/callback', '/auth/callback/']],
  [
    'mounted below a path that is in the paths too',
    '/auth',
    '/auth/callback',
    { login: '/auth/login', callback: '/auth/callback' },
    ['/auth/login', '/auth/callback'],
  ],
  ['behind a proxy that removes the path of the app', '/', '/app/callback', undefined, ['/login', '/callback']],
  ['with a redirectUri below a path', '/', '/auth/callback', undefined, ['/auth/login', '/auth/callback']],
])('Express: finds both routes %s', async (_, mountedAt, redirectPath, paths, routes) => {
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: origin + redirectPath })
  const app = express()
  const common = { oidc, store: memoryStore(), cookieSecret, onError: () => undefined }
  app.use(mountedAt, expressSignIn({ ...common, paths, onSignIn: () => undefined }))
  app.use((_req, res) => void res.status(418).end())
  const { url } = await serveListener(app)
  const statusOf = async (path: string) => (await fetch(url + path, { redirect: 'manual' })).status

  for (const route of routes) expect([route, await statusOf(route)]).toEqual([route, /login/.test(route) ? 302 : 400])
  for (const other of ['/', '/admin/login', '/other/callback']) expect(await statusOf(other)).toBe(418)
})

it('Express: passes a route on that is only the end of a path of the options', async () => {
  const app = await signInApp('Express', { paths: { login: '/auth/login', callback: '/auth/callback' } })

  expect((await app.send('/login')).status).toBe(404)
  expect((await app.send('/callback?code=x')).status).toBe(404)
})

const listed = [
  'https://app.example.test/callback',
  'https://www.example.test/callback',
  'http://localhost:3000/callback',
]

it.each<[what: string, url: string, headers: Record<string, string>, selected: string | undefined]>([
  ['the URL', 'https://www.example.test/login', {}, listed[1]],
  ['the URL of a development machine', 'http://localhost:3000/login', {}, listed[2]],
  [
    'the host, because Next.js has localhost in the URL',
    'http://localhost:3000/login',
    { host: 'www.example.test' },
    listed[1],
  ],
  [
    'the host that a proxy passes on',
    'http://10.0.0.1/login',
    { 'x-forwarded-host': 'www.example.test, a.test' },
    listed[1],
  ],
  ['a host in capitals with the default port', 'https://WWW.example.test:443/login', {}, listed[1]],
  ['http behind a proxy that ends TLS', 'http://app.example.test/login', {}, listed[0]],
  ['https for a redirect URI of http', 'https://localhost:3000/login', {}, undefined],
  ['https, which the proxy names', 'http://localhost:3000/login', { 'x-forwarded-proto': 'https' }, undefined],
  ['another port', 'https://app.example.test:8443/login', {}, undefined],
  ['a host that ends like one of the list', 'https://evil-app.example.test/login', {}, undefined],
  ['a host that is not one', 'https://evil.test/login', { host: 'app.example.test@evil.test' }, undefined],
  [
    'the origin of another query',
    'https://evil.test/login?redirect_uri=https://app.example.test/callback',
    {},
    undefined,
  ],
])('selects a redirect URI of the list by %s, and by nothing else', async (_, url, headers, selected) => {
  emulator.reset()
  const response = await fetched({ redirectUri: listed, url, headers })

  const location = response.headers.get('location')
  expect(location && new URL(location).searchParams.get('redirect_uri')).toBe(selected ?? null)
  const names = response.headers.getSetCookie().map((cookie) => cookie.split('svc_sign_in_')[0])
  expect(names).toEqual(selected === undefined ? [] : [selected.startsWith('https') ? '__Host-' : ''])
  expect(response.status).toBe(selected === undefined ? 400 : 302)
})

forBothAdapters('$form: exchanges the code with the redirect URI that the login selected', async ({ form }) => {
  const uris = ['https://other.example.test/auth/callback', 'https://app.example.test/auth/callback']
  const { emulator } = await signInApp(form, { emulator: { oidc: { redirectUris: uris } } })
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: uris })
  const app = await signInApp(form, { emulator: { oidc: { redirectUris: uris } }, oidc })
  const send = (path: string, init: RequestInit = {}) =>
    app.send(path, { ...init, headers: { ...init.headers, 'x-forwarded-host': 'app.example.test' } })
  const { startSignIn, approve, visit } = browserOf({ ...app, send })

  const consent = await startSignIn()

  expect(new URL(consent).searchParams.get('redirect_uri')).toBe(uris[1])
  expect((await visit(approve(consent))).status).toBe(303)
})

forBothAdapters('$form: names the origins of the list to a request of another one', async ({ form }) => {
  const { oidc } = emulator.options
  const app = await signInApp(form, { oidc: new OidcClient({ ...oidc, redirectUri: listed.slice(1) }) })

  const response = await app.send('/login')

  const page = await response.text()
  expect([response.status, linkOn(page)]).toEqual([400, undefined])
  expect(app.failures).toMatchObject([
    {
      code: 'configuration',
      message: expect.stringMatching(/Open the app at https:\/\/www\.example\.test or http:\/\/localhost:3000, or add/),
    },
  ])
  expect(page).not.toContain('www.example.test')
})

it('a client with several redirect URIs requires one for each sign-in of its own', async () => {
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: listed })

  expect(oidc.redirectUri).toEqual(listed)
  await expect(oidc.createAuthorization()).rejects.toThrow(/redirectUri is missing: pass one of those of the client$/)
  await expect(oidc.createAuthorization({ redirectUri: listed[1] })).resolves.toMatchObject({ redirectUri: listed[1] })
  expect(new OidcClient({ ...emulator.options.oidc, redirectUri: [String(listed[0])] }).redirectUri).toBe(listed[0])
})

it.each([[[]], [['https://a.test/x', 'https://a.test/y']], [['https://a.test/x', 'http://a.test/x']], [null]])(
  'rejects the list of redirect URIs %j',
  (redirectUri) => {
    const construct = () => new OidcClient({ ...emulator.options.oidc, redirectUri: redirectUri as never })
    expect(construct).toThrow(/^OidcClient: (?:a list in )?redirectUri must/)
  },
)

/** The path that `onSignIn` gets, and the one that the browser is redirected to. */
async function returnedTo(form: Adapter, query: string) {
  const contexts: unknown[] = []
  const app = await signInApp(form, { onSignIn: (...args: unknown[]) => void contexts.push(args.at(-1)) })
  const { visit, approve } = browserOf(app)
  const login = await visit(`/login${query}`)
  const response = await visit(approve(login.headers.get('location') ?? ''))
  const { returnTo } = contexts[0] as { returnTo: string }
  expect(response.headers.get('location')).toBe(returnTo)
  return returnTo
}

const long = (length: number) => `/${'a'.repeat(length - 1)}`

/** The value of `returnTo`, and the path that comes back. What leads elsewhere comes back as `/`. */
const returns: readonly (readonly [returnTo: string, path: string])[] = [
  ['/orders', '/orders'],
  ['/orders/7?tab=a%20b&next=//x#top', '/orders/7?tab=a%20b&next=//x#top'],
  ['/a/../b', '/b'],
  ['/a//b', '/a//b'],
  ['/größe ü', '/gr%C3%B6%C3%9Fe%20%C3%BC'],
  ['/\u{1F600}', '/%F0%9F%98%80'],
  ['/\ud800', '/%EF%BF%BD'],
  ['/@evil.test', '/@evil.test'],
  ['/:80', '/:80'],
  ['/javascript:alert(1)', '/javascript:alert(1)'],
  ['/%2F%2Fevil.test', '/%2F%2Fevil.test'],
  ['/%5Cevil.test', '/%5Cevil.test'],
  ['/%09/evil.test', '/%09/evil.test'],
  ['/\uff0fevil.test', '/%EF%BC%8Fevil.test'],
  ['/\u2215evil.test', '/%E2%88%95evil.test'],
  ['/\u3002evil.test', '/%E3%80%82evil.test'],
  ['/\u2028/evil.test', '/%E2%80%A8/evil.test'],
  ['/\u00a0/evil.test', '/%C2%A0/evil.test'],
  [long(512), long(512)],
  [long(513), '/'],
  [`/${'ü'.repeat(86)}`, '/'],
  ['', '/'],
  ['orders', '/'],
  ['?a=b', '/'],
  ['.', '/'],
  ['./evil', '/'],
  [' /orders', '/'],
  ['\t/orders', '/'],
  ['\ufeff/orders', '/'],
  ['//evil.test', '/'],
  ['///evil.test', '/'],
  ['////evil.test', '/'],
  ['/\\evil.test', '/'],
  ['\\/evil.test', '/'],
  ['\\\\evil.test', '/'],
  ['/a\\b', '/'],
  ['/\t/evil.test', '/'],
  ['/\n/evil.test', '/'],
  ['/\r\n/evil.test', '/'],
  ['/\t\\evil.test', '/'],
  ['/orders\r\nset-cookie: a=b', '/'],
  ['/orders\u0000', '/'],
  ['/orders\u007f', '/'],
  ['/orders\u0085', '/'],
  ['/..//evil.test', '/'],
  ['/a/..//evil.test', '/'],
  ['/.//evil.test', '/'],
  ['/%2e%2E//evil.test', '/'],
  ['/%2e//evil.test', '/'],
  ['/../..//evil.test/..', '/'],
  ['https://evil.test/', '/'],
  ['https:/evil.test', '/'],
  ['http:evil.test', '/'],
  ['https://app.example.test/orders', '/'],
  ['javascript:alert(1)', '/'],
  ['data:text/html,x', '/'],
  ['/undefined', '/undefined'],
]

it.each(adapters.flatMap((form) => returns.map(([returnTo, path]) => ({ form, returnTo, path }))))(
  '$form: returns from a sign-in with returnTo $returnTo to $path',
  async ({ form, returnTo, path }) => {
    const returned = await returnedTo(form, `?${new URLSearchParams({ returnTo })}`)

    expect(returned).toBe(path)
    expect(new URL(returned, origin).origin).toBe(origin)
  },
)

it.each([
  ['none', '', '/'],
  ['an empty one', '?returnTo', '/'],
  ['two', '?returnTo=/a&returnTo=/b', '/'],
  ['one under an escaped name, and another one', '?return%54o=/a&returnTo=/b', '/'],
  ['one in brackets', '?returnTo[]=/a', '/'],
  ['one that is escaped twice', '?returnTo=%252F%252Fevil.test', '/'],
  ['a malformed escape', '?returnTo=/%E0%A4%A', '/%EF%BF%BD%A'],
  ['other parameters', '?a=b&returnTo=/a&c=//d', '/a'],
])('a sign-in with %s in the query returns to a path of the app', async (_, query, path) => {
  for (const form of adapters) expect(await returnedTo(form, query)).toBe(path)
})

forBothAdapters('$form: the link on the page of a failed sign-in keeps returnTo', async ({ form }) => {
  const app = await signInApp(form)
  const { visit, deny } = browserOf(app)
  const login = await visit('/login?returnTo=/orders%3Fa=b%26c')

  const page = await (await visit(deny(login.headers.get('location') ?? ''))).text()

  expect(linkOn(page)).toBe('./../login?returnTo=%2Forders%3Fa%3Db%26c')
})

forBothAdapters('$form: five sign-ins with the longest returnTo fit into one header of 8 KiB', async ({ form }) => {
  const app = await signInApp(form)
  const { visit, cookies } = browserOf(app)

  for (let i = 0; i < 6; i++) await visit(`/login?returnTo=${long(512)}`)

  expect(cookies.size).toBe(5)
  expect([...cookies].join('; ').length).toBeLessThan(7_500)
})
