import { expect, it } from 'vitest'
import { createSignInHandler, memoryStore, type SignInClient } from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import { countingStore } from '../../support/counting-store.ts'
import { type AppOptions, adapters, cookieSecret, signInApp } from '../../support/sign-in-app.ts'
import { browserOf } from '../../support/sign-in-browser.ts'

const forBothAdapters = it.each(adapters.map((form) => ({ form })))

/** An app whose clock advances with each request, as a real one does. */
function tickingApp(form: (typeof adapters)[number], options: AppOptions = {}) {
  let now = Date.now()
  return signInApp(form, { ...options, [timing]: { wallClock: () => now++ } } as AppOptions)
}

forBothAdapters('$form: 100 sign-ins leave 5 cookies in a browser, and nothing in the store', async ({ form }) => {
  const { store, operations } = countingStore(memoryStore())
  const browser = browserOf(await tickingApp(form, { store }))
  const sizes: number[] = []

  for (let i = 0; i < 100; i++) {
    await browser.startSignIn()
    sizes.push([...browser.cookies].join('; ').length)
  }

  expect(browser.cookies.size).toBe(5)
  expect(Math.max(...sizes)).toBeLessThan(4096)
  expect(operations).toEqual([])
})

forBothAdapters(
  '$form: requests to the callback without a cookie of their sign-in never use the store',
  async ({ form }) => {
    const { store, operations } = countingStore(memoryStore())
    const app = await signInApp(form, { store })
    const [attacker, victim] = [browserOf(app), browserOf(app)]
    const foreign = attacker.approve(await attacker.startSignIn())
    await victim.startSignIn()
    const [name = '', value = ''] = [...victim.cookies][0] ?? []
    victim.cookies.set(name, `${value.slice(0, -3)}AAA`)

    for (const path of [foreign, '/auth/callback', '/auth/callback?code=x&state=y']) {
      expect((await victim.visit(path)).status).toBe(400)
    }

    expect(operations).toEqual([])
  },
)

forBothAdapters('$form: a sixth sign-in ends the oldest one, and the other five can be finished', async ({ form }) => {
  const app = await tickingApp(form)
  const { startSignIn, approve, visit } = browserOf(app)
  const callbacks: string[] = []
  for (let i = 0; i < 6; i++) callbacks.push(approve(await startSignIn()))

  const statuses: number[] = []
  for (const callback of callbacks.reverse()) statuses.push((await visit(callback)).status)

  expect(statuses).toEqual([303, 303, 303, 303, 303, 400])
})

forBothAdapters('$form: the oldest sign-in is found whatever the order of the cookies', async ({ form }) => {
  const app = await tickingApp(form)
  const browser = browserOf(app)
  const first = browser.approve(await browser.startSignIn())
  for (let i = 0; i < 4; i++) await browser.startSignIn()
  const reversed = [...browser.cookies].reverse()
  browser.cookies.clear()
  for (const [name, value] of reversed) browser.cookies.set(name, value)

  await browser.startSignIn()

  expect(browser.cookies.size).toBe(5)
  expect((await browser.visit(first)).status).toBe(400)
})

forBothAdapters(
  '$form: cookies that cannot be decrypted are deleted before any other, a few with each response',
  async ({ form }) => {
    const app = await tickingApp(form)
    const browser = browserOf(app)
    const callback = browser.approve(await browser.startSignIn())
    for (let i = 0; i < 100; i++) browser.cookies.set(`__Host-svc_sign_in_${`${i}`.padStart(16, '0')}`, 'x')
    const longest = { bytes: 0 }

    for (let i = 0; i < 4; i++) {
      const before = browser.cookies.size
      const response = await browser.visit('/login')
      longest.bytes = Math.max(longest.bytes, response.headers.getSetCookie().join().length)
      expect(browser.cookies.size).toBe(before - 7)
    }

    expect(longest.bytes).toBeLessThan(2048)
    expect((await browser.visit(callback)).status).toBe(303)
  },
)

forBothAdapters('$form: sign-ins of another app on the same host do not end those of this app', async ({ form }) => {
  const [app, other] = [
    await tickingApp(form),
    await signInApp(form, { cookieSecret: 'the secret of another app: 32 ch' }),
  ]
  const [browser, elsewhere] = [browserOf(app), browserOf(other)]
  const callback = browser.approve(await browser.startSignIn())
  for (const [name, value] of browser.cookies) elsewhere.cookies.set(name, value)

  await elsewhere.startSignIn()
  browser.cookies.clear()
  for (const [name, value] of elsewhere.cookies) browser.cookies.set(name, value)
  for (let i = 0; i < 4; i++) await browser.startSignIn()

  expect(browser.cookies.size).toBe(6)
  expect((await browser.visit(callback)).status).toBe(303)
})

forBothAdapters('$form: one of two processes accepts a callback that both get at once', async ({ form }) => {
  const store = memoryStore()
  const first = await signInApp(form, { store })
  const second = await signInApp(form, { store, oidc: first.oidc })
  const browser = browserOf(first)
  const callback = browser.approve(await browser.startSignIn())
  const other = browserOf({ ...second, emulator: first.emulator })
  for (const [name, value] of browser.cookies) other.cookies.set(name, value)

  const responses = await Promise.all([browser.visit(callback), other.visit(callback)])

  expect(responses.map(({ status }) => status).sort()).toEqual([303, 400])
  expect(first.emulator.requests.filter(({ operation }) => operation === 'oidc.exchangeCode')).toHaveLength(1)
  expect([...first.failures, ...second.failures]).toMatchObject([
    { reason: 'state_mismatch', hint: expect.stringMatching(/finished before/) },
  ])
})

forBothAdapters(
  '$form: a callback is rejected if its cookie is presented again until the cookie expires',
  async ({ form }) => {
    let now = Date.now()
    const store = memoryStore({ now: () => new Date(now) })
    const app = await signInApp(form, { store, [timing]: { wallClock: () => now } } as AppOptions)
    const browser = browserOf(app)
    const callback = browser.approve(await browser.startSignIn())
    const stolen = new Map(browser.cookies)
    expect((await browser.visit(callback)).status).toBe(303)

    const replay = async () => {
      for (const [name, value] of stolen) browser.cookies.set(name, value)
      return (await browser.visit(callback)).status
    }

    for (let passed = 0; passed < 700_000; passed += 50_000, now += 50_000) expect(await replay()).toBe(400)
    expect(app.signedIn).toHaveLength(1)
  },
)

it.each(
  adapters.flatMap((form) =>
    [
      ['under its own name', (_: string, theirs: string) => theirs],
      ["under the name of the victim's sign-in", (mine: string) => mine],
    ].map(([what, nameOf]) => ({ form, what, nameOf: nameOf as (mine: string, theirs: string) => string })),
  ),
)('$form: a cookie that is planted $what does not sign a victim in as the attacker', async ({ form, nameOf }) => {
  const app = await signInApp(form)
  const [attacker, victim] = [browserOf(app), browserOf(app)]
  const foreign = attacker.approve(await attacker.startSignIn())
  await victim.startSignIn()
  const [theirs = '', value = ''] = [...attacker.cookies][0] ?? []
  const [mine = ''] = [...victim.cookies][0] ?? []
  // Browsers let no other site set a cookie with the prefix.
  victim.cookies.set(nameOf(mine, theirs).replace('__Host-', ''), value)

  const response = await victim.visit(foreign)

  expect(response.status).toBe(400)
  expect(app.failures).toMatchObject([{ code: 'callback_refused', reason: 'state_mismatch' }])
  expect(app.signedIn).toEqual([])
  expect(app.emulator.requests).toEqual([])
})

forBothAdapters("$form: an attacker's code in the victim's callback is rejected", async ({ form }) => {
  const app = await signInApp(form)
  const [attacker, victim] = [browserOf(app), browserOf(app)]
  const foreign = attacker.approve(await attacker.startSignIn())
  const own = victim.approve(await victim.startSignIn())
  const code = new URLSearchParams(foreign.split('?')[1]).get('code')

  const response = await victim.visit(own.replace(/code=[^&]+/, `code=${code}`))

  expect(response.status).toBe(400)
  expect(app.failures).toMatchObject([{ code: 'invalid_grant' }])
  expect(app.signedIn).toEqual([])
})

it('responds with 500 to a login whose sign-in is too long for a cookie', async () => {
  const redirectUri = `https://app.example.test/${'x'.repeat(3_000)}`
  const oidc: SignInClient = {
    createAuthorization: async () => ({
      url: 'https://id.example.test/',
      state: 's'.repeat(43),
      nonce: 'n',
      codeVerifier: 'v',
      redirectUri,
    }),
    handleCallback: () => Promise.reject(new Error('not reached')),
  }
  const failures: unknown[] = []
  const handler = createSignInHandler({
    oidc,
    store: memoryStore(),
    cookieSecret,
    onSignIn: () => undefined,
    onError: (error) => void failures.push(error),
  })

  const response = await handler.fetch(new Request('https://app.example.test/login'))

  expect(response.status).toBe(500)
  expect(response.headers.getSetCookie()).toEqual([])
  expect(failures).toMatchObject([{ code: 'configuration', message: expect.stringMatching(/shorter redirectUri$/) }])
})
