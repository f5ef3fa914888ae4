import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import type { CallbackReason, TokenManagerReason } from '../../src/errors/sign-in-errors.ts'
import { memoryStore, OidcClient, type Store, type TokenSet } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/sign-in.md'
const guide = documentedCode('docs/guides/sign-in.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

const redirectUri = 'http://127.0.0.1:3000/callback'

/** Signs the sample person in and returns the tokens. */
async function someTokens(): Promise<TokenSet> {
  const { clientId, clientSecret } = emulator.options.oidc
  const oidc = new OidcClient({ baseUrl: guide.service.url, clientId, clientSecret, redirectUri })
  const login = await oidc.createAuthorization({ scope: ['profile'] })
  return oidc.handleCallback(emulator.signIn.approve(login.url), login)
}

/** Signs in as one browser, and opens the callback twice. */
async function signInAt(port: number, choose: 'approve' | 'deny' = 'approve') {
  const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
  const callback = emulator.signIn[choose](String(login.headers.get('location')))
  const visit = () => fetch(callback, { headers: { cookie }, redirect: 'manual' })
  return { first: await visit(), second: await visit() }
}

it('the Express app signs a person in once and keeps the session', async () => {
  const printed = await guide.whileServing('Express', async (port) => {
    const { first, second } = await signInAt(port)
    const session = first.headers.getSetCookie().find((cookie) => cookie.startsWith('session='))
    const home = (cookie: string) =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { cookie }, redirect: 'manual' })

    expect(first.status).toBe(303)
    expect(second.status).toBe(400)
    expect(await (await home(String(session).split(';')[0] as string)).text()).toBe('hello user_sample')
    expect((await home('session=guessed')).headers.get('location')).toBe('/login')
  })

  expect(printed).toMatch(/^identity-service-sdk: a sign-in was rejected: CallbackError \(.*state_mismatch\)/)
})

it('the app shows its own page for a refused callback, and the default page for other failures', async () => {
  const printed = await guide.whileServing('Refused sign-ins', async (port) => {
    const { second } = await signInAt(port)
    expect(second.status).toBe(400)
    expect(await second.text()).toBe('<a href="/login">Try again</a>')

    emulator.faults.add({ match: 'oidc.exchangeCode', status: 500 })
    const { first } = await signInAt(port)
    expect(first.status).toBe(502)
    expect(await first.text()).toContain('<a href="./login">Sign in again</a>')
  })

  expect(printed).toMatch(/^callback_refused state_mismatch\n/)
})

it('the Hono handler signs a person in and reports that a person declined', async () => {
  const printed = await guide.whileServing('Hono, Next.js and Workers', async (port) => {
    expect(await (await signInAt(port)).first.json()).toEqual({ sub: 'user_sample' })
    expect((await signInAt(port, 'deny')).first.status).toBe(400)
  })

  expect(printed).toMatch(/a sign-in was rejected: CallbackError \(.*authorization_error\)/)
})

interface OtherFramework {
  startSignIn(): Promise<{ url: string; login: object }>
  finishSignIn(url: string, login: object): Promise<{ status: number }>
}

it('a sign-in without a framework ends with the person or with a reason', async () => {
  const { startSignIn, finishSignIn } = await guide.load<OtherFramework>('Other frameworks')
  const [first, second] = [await startSignIn(), await startSignIn()]
  const callback = emulator.signIn.approve(first.url)

  expect(await finishSignIn(callback, second.login)).toEqual({ status: 400, reason: 'state_mismatch' })
  expect(await finishSignIn(callback, first.login)).toEqual({
    status: 200,
    sub: 'user_sample',
    expires_in: 900,
  })
})

/** Runs the command of the guide that generates a key. */
async function newKey(): Promise<string> {
  const command = blockOf(page, 'sh', 'Keep access tokens valid')
  return (await promisify(execFile)('sh', ['-c', command])).stdout.trim()
}

interface Tokens {
  signedIn(user: string, tokens: TokenSet): Promise<void>
  signedOut(user: string): Promise<boolean>
  accessTokenOf(user: string): Promise<string | undefined>
}

it('two processes that share a store refresh a token once, until the person signs out', async () => {
  const store: Store = memoryStore()
  const around = {
    modules: { './store.js': { store } },
    env: { TOKEN_KEY: await newKey() },
  }
  const name = 'Keep access tokens valid'
  const [one, two] = [await guide.load<Tokens>(name, around), await guide.load<Tokens>(name, around)]
  await one.signedIn('ada', { ...(await someTokens()), expiresAtSeconds: 0 })
  const before = emulator.requests.length

  const [a, b] = await Promise.all([one.accessTokenOf('ada'), two.accessTokenOf('ada')])

  expect(a).toEqual(expect.any(String))
  expect(b).toBe(a)
  expect(emulator.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1)
  await two.signedOut('ada')
  expect(await one.accessTokenOf('ada')).toBeUndefined()
})

it('the API accepts a valid access token and rejects a forged one', async () => {
  const { access_token } = await someTokens()
  await guide.whileServing('Validate tokens in an API', async (port) => {
    const me = (token: string) =>
      fetch(`http://127.0.0.1:${port}/me`, { headers: { authorization: `Bearer ${token}` } })

    expect(await (await me(access_token)).text()).toBe('user_sample')
    expect((await me(`${access_token.slice(0, -4)}AAAA`)).status).toBe(401)
  })
})

it('another path gets the access token', async () => {
  const { access_token } = await someTokens()
  const { infoOf } = await guide.load<{ infoOf(token: string): Promise<unknown> }>(
    'Call another path with an access token',
  )

  await expect(infoOf(access_token)).rejects.toMatchObject({ status: 404 })
  expect(emulator.requests.at(-1)).toMatchObject({
    path: '/api/profile',
    headers: { authorization: expect.any(String) },
  })
})

it('an id_token is validated without a client', async () => {
  const { id_token } = await someTokens()
  const { subjectOf } = await guide.load<{ subjectOf(token: string): Promise<string> }>(
    'Validate tokens in an API 2',
  )
  expect(await subjectOf(String(id_token))).toBe('user_sample')
})

const callbackReasons: Record<CallbackReason, true> = {
  authorization_error: true,
  missing_code: true,
  state_mismatch: true,
  issuer_mismatch: true,
  repeated_parameter: true,
}

const managerReasons: Record<TokenManagerReason, true> = {
  not_found: true,
  refresh_rejected: true,
  refresh_outcome_unknown: true,
  undecryptable: true,
}

it('the tables list every reason', () => {
  const inTable = (heading: string, reasons: object) =>
    columnOf(page, heading).filter((cell) => cell in reasons)

  expect(inTable('Callback errors', callbackReasons)).toEqual(Object.keys(callbackReasons))
  expect(inTable('Keep access tokens valid', managerReasons)).toEqual(Object.keys(managerReasons))
})
