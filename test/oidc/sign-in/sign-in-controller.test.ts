import { execFileSync } from 'node:child_process'
import { inspect } from 'node:util'
import { expect, it, vi } from 'vitest'
import {
  ConfigurationError,
  createTokenManager,
  memoryStore,
  type SignInClient,
  type Store,
  StoreError,
} from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import { type AppOptions, adapters, cookieSecret, signInApp } from '../../support/sign-in-app.ts'
import { browserOf, reasonOn } from '../../support/sign-in-browser.ts'
import { managed } from '../managed.ts'

/** The function that takes the options, for its errors. */
const ownerOf = { Express: 'expressSignIn', fetch: 'createSignInHandler' } as const

const forBothAdapters = it.each(adapters.map((form) => ({ form })))

const loginCookie =
  /^(__Host-svc_sign_in_[\w-]{16})=([\w.-]{300,600}); Max-Age=600; Path=\/; HttpOnly; SameSite=Lax; Secure$/

forBothAdapters('$form: signs a person in, and rejects the callback the second time', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, visit, cookies } = browserOf(app)

  const callback = approve(await startSignIn())
  const response = await visit(callback)

  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe('/')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(app.signedIn).toMatchObject([{ claims: { sub: 'user_sample' }, token_type: 'Bearer' }])
  expect(cookies.size).toBe(0)
  const replayed = await visit(callback)
  expect(replayed.status).toBe(400)
  expect(await reasonOn(replayed)).toBe('state mismatch')
  expect(app.signedIn).toHaveLength(1)
})

forBothAdapters(
  '$form: binds the sign-in to the browser with a cookie that scripts and other sites cannot read',
  async ({ form }) => {
    const { send } = await signInApp(form)

    const response = await send('/login')

    expect(response.status).toBe(302)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(loginCookie)])
    const { searchParams } = new URL(response.headers.get('location') ?? '')
    const [, , value = ''] = loginCookie.exec(response.headers.getSetCookie()[0] ?? '') ?? []
    const parts = [value, ...value.split('.').map((part) => Buffer.from(part, 'base64url').toString())]
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(parts.join('\n')).not.toContain(String(searchParams.get(name)))
  },
)

const prefetches = [
  { 'sec-purpose': 'prefetch' },
  { 'sec-purpose': 'prefetch;prerender' },
  { purpose: 'prefetch' },
  { 'x-moz': 'prefetch' },
  { 'next-router-prefetch': '1' },
]

it.each(adapters.flatMap((form) => prefetches.map((headers) => ({ form, headers }))))(
  '$form: a prefetch with $headers starts and finishes nothing, and is an error, so that a click is a new request',
  async ({ form, headers }) => {
    const app = await signInApp(form)
    const { startSignIn, approve, visit } = browserOf(app)
    const callback = approve(await startSignIn())

    for (const path of ['/login', callback]) {
      const { status, headers: received } = await app.send(path, { headers })
      expect([status, received.getSetCookie(), received.get('cache-control')]).toEqual([503, [], 'no-store'])
    }

    expect((await visit(callback)).status).toBe(303)
  },
)

forBothAdapters(
  '$form: a script or an image that is redirected to the login route starts no sign-in',
  async ({ form }) => {
    const app = await signInApp(form)
    const { startSignIn, approve, visit } = browserOf(app)
    const callback = approve(await startSignIn())

    for (const destination of ['empty', 'image', 'script', 'style', 'font', 'video']) {
      const { status, headers } = await app.send('/login', {
        headers: { 'sec-fetch-dest': destination, accept: '*/*' },
      })
      expect([status, headers.getSetCookie(), headers.get('location')]).toEqual([401, [], null])
    }

    expect((await visit(callback)).status).toBe(303)
  },
)

it('a service worker that requests a navigation again starts a sign-in', async () => {
  const app = await signInApp('fetch')

  const { status } = await app.send('/login', {
    headers: { 'sec-fetch-dest': 'empty', accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
  })

  expect(status).toBe(302)
})

forBothAdapters('$form: omits Secure if the redirect URI is http', async ({ form }) => {
  const redirectUri = 'http://localhost:3000/auth/callback'
  const app = await signInApp(form, { redirectUri })
  const { startSignIn, approve, visit } = browserOf(app)

  const [cookie] = (await app.send('/login')).headers.getSetCookie()
  await visit(approve(await startSignIn()))

  expect(cookie).toMatch(/^svc_sign_in_[\w-]{16}=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(app.signedIn).toHaveLength(1)
})

forBothAdapters('$form: finishes the sign-ins of several tabs in any order', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, visit, cookies } = browserOf(app)
  const consents = [await startSignIn(), await startSignIn(), await startSignIn()]

  expect(cookies.size).toBe(3)
  for (const consent of consents.reverse()) expect((await visit(approve(consent))).status).toBe(303)
  expect(app.signedIn).toHaveLength(3)
  expect(cookies.size).toBe(0)
})

type Tamper = (cookies: Map<string, string>, own: [name: string, value: string]) => void

it.each(
  adapters.flatMap((form) =>
    (
      [
        ['no cookie', (cookies) => cookies.clear()],
        ['a cookie of an earlier version', (cookies, [name]) => cookies.set(name, 'A'.repeat(43))],
        ['a cookie of four parts that is forged', (cookies, [name]) => cookies.set(name, 'e30.AA.AA.AA')],
        ['an empty cookie', (cookies, [name]) => cookies.set(name, '')],
        ['a truncated cookie', (cookies, [name, value]) => cookies.set(name, value.slice(0, -1))],
        ['an extended cookie', (cookies, [name, value]) => cookies.set(name, `${value}.A`)],
        ...[0, 1, 2, 3].map((part): [string, Tamper] => [
          `a cookie whose part ${part} was changed`,
          (cookies, [name, value]) => {
            const parts = value.split('.')
            parts[part] = parts[part]?.replace(/.{3}$/, (end) => (end === 'AAA' ? 'BBB' : 'AAA')) ?? ''
            cookies.set(name, parts.join('.'))
          },
        ]),
        [
          'the value under a name without the __Host- prefix',
          (cookies, [name, value]) => {
            cookies.clear()
            cookies.set(name.replace('__Host-', ''), value)
          },
        ],
        [
          'the value under another name',
          (cookies, [name, value]) => {
            cookies.clear()
            cookies.set(`${name.slice(0, -1)}${name.endsWith('_') ? '-' : '_'}`, value)
          },
        ],
      ] satisfies [string, Tamper][]
    ).map(([what, tamper]) => ({ form, what, tamper })),
  ),
)(
  '$form: rejects a callback with $what, and the sign-in can still be finished in its browser',
  async ({ form, tamper }) => {
    const app = await signInApp(form)
    const { startSignIn, approve, visit, cookies } = browserOf(app)
    const callback = approve(await startSignIn())
    const [own] = [...cookies]
    tamper(cookies, own as [string, string])

    const response = await visit(callback)

    expect(response.status).toBe(400)
    expect(await reasonOn(response)).toBe('state mismatch')
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(app.emulator.requests).toHaveLength(0)
    cookies.clear()
    cookies.set(...(own as [string, string]))
    expect((await visit(callback)).status).toBe(303)
  },
)

forBothAdapters('$form: responds with 400 if the person declined, and ends that sign-in', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, deny, approve, visit, cookies } = browserOf(app)
  const consent = await startSignIn()

  const response = await visit(deny(consent))

  expect(response.status).toBe(400)
  expect(await reasonOn(response)).toBe('authorization error: access_denied')
  expect(app.failures).toMatchObject([{ reason: 'authorization_error', error: 'access_denied' }])
  expect(cookies.size).toBe(0)
  expect((await visit(approve(consent))).status).toBe(400)
})

it.each(
  adapters.flatMap((form) =>
    [
      ['no parameters', '', 'missing code'],
      ['no state', '?code=x', 'state mismatch'],
      ['an empty state', '?code=x&state=', 'state mismatch'],
      ['another state', '?code=x&state=y', 'state mismatch'],
      ['two states', '?code=x&state=a&state=b', 'repeated parameter'],
      ['an error that is HTML', '?error=<b>hello</b>', 'authorization error: unreadable'],
    ].map(([what, query, text]) => ({ form, what, query, text })),
  ),
)('$form: responds with 400 to a callback with $what', async ({ form, query, text }) => {
  const { send, emulator } = await signInApp(form)

  const response = await send(`/auth/callback${query}`, { headers: { cookie: 'svc_sign_in_=; a=b; =; ;' } })

  expect(response.status).toBe(400)
  expect(await reasonOn(response)).toBe(text)
  expect(emulator.requests).toHaveLength(0)
})

forBothAdapters('$form: never passes a callback without a sign-in of its browser to the client', async ({ form }) => {
  const app = await signInApp(form)
  const handleCallback = vi.spyOn(app.oidc, 'handleCallback')
  const other = browserOf(app)
  const foreign = other.approve(await other.startSignIn())

  for (const path of [foreign, '/auth/callback?code=x', '/auth/callback?code=x&state=y']) {
    expect(await reasonOn(await app.send(path))).toBe('state mismatch')
  }

  expect(handleCallback).not.toHaveBeenCalled()
})

forBothAdapters('$form: accepts a callback for 10 minutes', async ({ form }) => {
  let now = Date.now()
  const app = await signInApp(form, { [timing]: { wallClock: () => now } } as AppOptions)
  const { startSignIn, approve, visit } = browserOf(app)
  const [inTime, late] = [approve(await startSignIn()), approve(await startSignIn())]

  now += 599_999
  expect((await visit(inTime)).status).toBe(303)
  now += 1
  expect((await visit(late)).status).toBe(400)
  expect(app.failures).toMatchObject([
    { reason: 'state_mismatch', hint: expect.stringMatching(/started more than 10 minutes ago/) },
  ])
})

forBothAdapters('$form: tolerates clocks of processes that differ by up to a minute', async ({ form }) => {
  let now = Date.now()
  const app = await signInApp(form, { [timing]: { wallClock: () => now } } as AppOptions)
  const { startSignIn, approve, visit } = browserOf(app)
  const [first, second] = [approve(await startSignIn()), approve(await startSignIn())]

  now -= 60_000
  expect((await visit(first)).status).toBe(303)
  now -= 1
  expect((await visit(second)).status).toBe(400)
})

forBothAdapters('$form: accepts cookies of an earlier secret, and encrypts with the first one', async ({ form }) => {
  const store = memoryStore()
  const before = await signInApp(form, { store })
  const after = await signInApp(form, {
    store,
    oidc: before.oidc,
    cookieSecret: ['a new secret of 32 characters or more', cookieSecret],
  })
  const browser = browserOf(before)
  const callback = browser.approve(await browser.startSignIn())
  const next = browserOf({ ...after, emulator: before.emulator })
  for (const [name, value] of browser.cookies) next.cookies.set(name, value)

  expect((await next.visit(callback)).status).toBe(303)
  const later = next.approve(await next.startSignIn())
  for (const [name, value] of next.cookies) browser.cookies.set(name, value)
  expect((await browser.visit(later)).status).toBe(400)
  expect(before.failures).toMatchObject([{ hint: expect.stringMatching(/different values of cookieSecret/) }])
  expect((await next.visit(later)).status).toBe(303)
})

forBothAdapters('$form: accepts a question mark in the query', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, visit } = browserOf(app)

  const response = await visit(approve(await startSignIn()).replace('?', '?from=/a?b=c&'))

  expect(response.status).toBe(303)
})

const storeFailures = [new StoreError({ message: 'the store is down' }), new Error('connect ECONNREFUSED'), 'down']

it.each(adapters.flatMap((form) => storeFailures.map((thrown) => ({ form, thrown }))))(
  '$form: responds to a callback with 503 and no details if the store rejects with $thrown, and accepts it later',
  async ({ form, thrown }) => {
    const shared = memoryStore()
    let isDown = true
    const set: Store['set'] = (...given) => (isDown ? Promise.reject(thrown) : shared.set(...given))
    const app = await signInApp(form, { store: { ...shared, set } })
    const { startSignIn, approve, visit } = browserOf(app)
    const callback = approve(await startSignIn())

    const response = await visit(callback)

    expect(response.status).toBe(503)
    expect(await reasonOn(response)).toBe('sign-in failed')
    expect(app.failures).toMatchObject([{ name: 'StoreError', code: 'store_failed' }])
    isDown = false
    expect((await visit(callback)).status).toBe(303)
  },
)

forBothAdapters('$form: accepts a callback if the driver of the store sent the write twice', async ({ form }) => {
  const shared = memoryStore()
  const set: Store['set'] = async (...given) => {
    await shared.set(...given)
    return shared.set(...given)
  }
  const { startSignIn, approve, visit } = browserOf(await signInApp(form, { store: { ...shared, set } }))

  const callback = approve(await startSignIn())

  expect((await visit(callback)).status).toBe(303)
})

forBothAdapters('$form: accepts cookies that are joined without a space, or have no value', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, cookies } = browserOf(app)
  const callback = approve(await startSignIn())
  const [name, mark] = [...cookies][0] as [string, string]

  const response = await app.send(callback, {
    headers: { cookie: `a;b=;${name};${name}=;${name}=${mark};c=1` },
  })

  expect(response.status).toBe(303)
})

forBothAdapters('$form: responds with 502 if the service fails', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, visit } = browserOf(app)

  for (const [match, status] of [
    ['oidc.exchangeCode', 500],
    ['oidc.jwks', 503],
  ] as const) {
    app.emulator.faults.add({ match, status })
    const response = await visit(approve(await startSignIn()))
    expect(response.status).toBe(502)
    expect(await reasonOn(response)).toBe('sign-in failed')
  }
  expect(app.failures).toMatchObject([{ code: expect.any(String) }, { reason: 'keys_unavailable' }])
})

forBothAdapters('$form: shows no secret on the page or to onError', async ({ form }) => {
  const app = await signInApp(form)
  const { startSignIn, approve, visit, cookies } = browserOf(app)
  app.emulator.faults.add({ match: 'oidc.exchangeCode', status: 400, code: 'invalid_grant' })
  const callback = approve(await startSignIn())
  const secrets = [...cookies.values(), ...new URLSearchParams(callback.split('?')[1]).values()]

  const page = await (await visit(callback)).text()

  const output = page + inspect(app.failures, { depth: 9 }) + JSON.stringify(app.failures)
  expect(app.failures).toHaveLength(1)
  for (const secret of [...secrets, 'emulator_client_secret', cookieSecret]) expect(output).not.toContain(secret)
})

it('accepts a secret of 32 characters', async () => {
  for (const form of adapters) await expect(signInApp(form, { cookieSecret: 'x'.repeat(32) })).resolves.toBeDefined()
})

const generate = `To generate one, run: node -e "console.log(require('node:crypto').randomBytes(32).toString('base64url'))"`

it('the command that messages name generates a secret and an encryption key that are accepted', async () => {
  const [, program = ''] = /node -e "(.*)"/.exec(generate) ?? []
  const key = execFileSync(process.execPath, ['-e', program], { encoding: 'utf8' }).trim()

  await expect(signInApp('fetch', { cookieSecret: key })).resolves.toBeDefined()
  const { client, store } = managed()
  expect(() => createTokenManager({ oidc: client(), store, encryptionKey: key })).not.toThrow()
})

it.each<[what: string, options: AppOptions]>([
  ['a short secret', { cookieSecret: 'x'.repeat(31) }],
  ['a short secret among others', { cookieSecret: [cookieSecret, 'short'] }],
])('throws a ConfigurationError for %s', async (_, options) => {
  for (const form of adapters) {
    const made = signInApp(form, options)
    await expect(made).rejects.toBeInstanceOf(ConfigurationError)
    await expect(made).rejects.toThrow(
      new ConfigurationError({
        message: `${ownerOf[form]}: cookieSecret must have at least 32 characters. ${generate}`,
      }),
    )
  }
})

const notASecret =
  'must be one visible line without spaces around it, not undefined or null: check the variable that you pass'
const noValue = 'is missing: check the variable that you pass'

it.each<[message: string, cookieSecret: AppOptions['cookieSecret']]>([
  [`cookieSecret ${notASecret}`, `${' '.repeat(31)}x`],
  [`cookieSecret ${notASecret}`, [cookieSecret, undefined, `${cookieSecret}\n`]],
  [`cookieSecret ${noValue}`, []],
  [`cookieSecret ${noValue}`, [undefined]],
])('says what is wrong with the cookie secret: %s', async (message, given) => {
  for (const form of adapters) {
    const made = signInApp(form, { cookieSecret: given })
    await expect(made).rejects.toThrow(new ConfigurationError({ message: `${ownerOf[form]}: ${message}. ${generate}` }))
  }
})

it('ignores undefined in a list of cookie secrets', async () => {
  for (const form of adapters) {
    const app = await signInApp(form, { cookieSecret: [undefined, cookieSecret, undefined] })
    const { startSignIn, approve, visit } = browserOf(app)

    expect((await visit(approve(await startSignIn()))).status).toBe(303)
  }
})

it('reads a missing cookieSecret from SVC_COOKIE_SECRET', async () => {
  vi.stubEnv('SVC_COOKIE_SECRET', 'x'.repeat(32))
  for (const form of adapters) {
    const app = await signInApp(form, { cookieSecret: undefined })
    const { startSignIn, approve, visit } = browserOf(app)

    expect((await visit(approve(await startSignIn()))).status).toBe(303)
  }
  vi.stubEnv('SVC_COOKIE_SECRET', 'too short')
  await expect(signInApp('fetch', { cookieSecret: undefined })).rejects.toThrow(
    new ConfigurationError({
      message: `createSignInHandler: cookieSecret must have at least 32 characters: check SVC_COOKIE_SECRET. ${generate}`,
    }),
  )
})

it('a missing cookieSecret throws a ConfigurationError that says how to make one', async () => {
  vi.stubEnv('SVC_COOKIE_SECRET', '')
  for (const form of adapters) {
    const made = signInApp(form, { cookieSecret: undefined })
    await expect(made).rejects.toBeInstanceOf(ConfigurationError)
    await expect(made).rejects.toThrow(
      `${ownerOf[form]}: cookieSecret is missing: pass it, or set SVC_COOKIE_SECRET, to your own secret of at least 32 characters. ${generate}`,
    )
  }
})

it('signs a person in with a client that is an object of the app', async () => {
  for (const form of adapters) {
    const made: string[] = []
    const app = await signInApp(form)
    const oidc: SignInClient = {
      createAuthorization: async () => {
        made.push('created')
        return app.oidc.createAuthorization()
      },
      handleCallback: async (callback, started) => {
        made.push('finished')
        return app.oidc.handleCallback(callback, started)
      },
    }
    const { send, signedIn } = await signInApp(form, { oidc })
    const { startSignIn, approve, visit } = browserOf({ send, emulator: app.emulator })

    expect((await visit(approve(await startSignIn()))).status).toBe(303)
    expect(made).toEqual(['created', 'finished'])
    expect(signedIn).toMatchObject([{ id_token: expect.any(String), claims: { sub: 'user_sample' } }])
  }
})
