import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import type { CallbackRefusal, TokenManagerFailure } from '../../src/errors/sign-in-errors.ts'
import { memoryStore, OidcClient, type Store, type TokenSet } from '../../src/index.ts'
import { documented } from '../support/documented.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/sign-in.md'
const guide = documented('docs/sign-in.md')
const { emulator } = guide

beforeEach(() => emulator.reset())

const redirectUri = 'http://127.0.0.1:3000/callback'

/** Tokens of the sample person. */
async function someTokens(): Promise<TokenSet> {
  const { clientId, clientSecret } = emulator.options.oidc
  const oidc = new OidcClient({ baseUrl: guide.service.url, clientId, clientSecret, redirectUri })
  const login = await oidc.createAuthorization({ scope: ['profile'] })
  return oidc.handleCallback(emulator.signIn.approve(login.url), login)
}

/** Goes from the login to the answer of the callback, with the cookies of one browser. */
async function signInAt(port: number, choose: 'approve' | 'deny' = 'approve') {
  const login = await fetch(`http://127.0.0.1:${port}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
  const callback = emulator.signIn[choose](String(login.headers.get('location')))
  const visit = () => fetch(callback, { headers: { cookie }, redirect: 'manual' })
  return { answer: await visit(), again: await visit() }
}

it('the web app signs a person in, once, and knows them afterwards', async () => {
  const printed = await guide.whileServing('A web app', async (port) => {
    const { answer, again } = await signInAt(port)
    const session = answer.headers.getSetCookie().find((cookie) => cookie.startsWith('session='))
    const home = (cookie: string) =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { cookie }, redirect: 'manual' })

    expect(answer.status).toBe(303)
    expect(again.status).toBe(400)
    expect(await (await home(String(session).split(';')[0] as string)).text()).toBe('hello user_sample')
    expect((await home('session=guessed')).headers.get('location')).toBe('/login')
  })

  expect(printed).toBe('callback_refused state_mismatch\n')
})

it('the handler of Hono signs a person in, and tells who declined', async () => {
  const printed = await guide.whileServing('Hono, Next.js, Workers', async (port) => {
    expect(await (await signInAt(port)).answer.json()).toEqual({ sub: 'user_sample' })
    expect((await signInAt(port, 'deny')).answer.status).toBe(400)
  })

  expect(printed).toContain('callback_refused authorization_error\n')
})

interface ByHand {
  begin(): Promise<{ url: string; kept: object }>
  end(url: string, kept: object): Promise<{ status: number }>
}

it('a sign-in by hand ends with the person, or with a reason', async () => {
  const { begin, end } = await guide.load<ByHand>('By hand')
  const [first, second] = [await begin(), await begin()]
  const callback = emulator.signIn.approve(first.url)

  expect(await end(callback, second.kept)).toEqual({ status: 400, reason: 'state_mismatch' })
  expect(await end(callback, first.kept)).toEqual({ status: 200, sub: 'user_sample', expires_in: 900 })
})

/** Made by the command of the page. */
async function newKey(): Promise<string> {
  const command = blockOf(page, 'sh', 'Access tokens that are always good')
  return (await promisify(execFile)('sh', ['-c', command])).stdout.trim()
}

interface Tokens {
  signedIn(user: string, tokens: TokenSet): Promise<void>
  signedOut(user: string): Promise<boolean>
  accessTokenOf(user: string): Promise<string | undefined>
}

it('two processes with one store refresh once, and a sign-out ends it', async () => {
  const store: Store = memoryStore()
  const around = {
    modules: { './store.js': { store } },
    env: { TOKEN_KEY: await newKey() },
  }
  const name = 'Access tokens that are always good'
  const [one, two] = [await guide.load<Tokens>(name, around), await guide.load<Tokens>(name, around)]
  await one.signedIn('ada', { ...(await someTokens()), expires_at: 0 })
  const before = emulator.requests.length

  const [a, b] = await Promise.all([one.accessTokenOf('ada'), two.accessTokenOf('ada')])

  expect(a).toEqual(expect.any(String))
  expect(b).toBe(a)
  expect(emulator.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1)
  await two.signedOut('ada')
  expect(await one.accessTokenOf('ada')).toBeUndefined()
})

it('an API takes a good access token, and no other', async () => {
  const { access_token } = await someTokens()
  await guide.whileServing('An API that is handed tokens', async (port) => {
    const me = (token: string) =>
      fetch(`http://127.0.0.1:${port}/me`, { headers: { authorization: `Bearer ${token}` } })

    expect(await (await me(access_token)).text()).toBe('user_sample')
    expect((await me(`${access_token.slice(0, -4)}AAAA`)).status).toBe(401)
  })
})

it('an id_token is validated without a client', async () => {
  const { id_token } = await someTokens()
  const printed = await guide.run('An API that is handed tokens 2', { env: { ID_TOKEN: String(id_token) } })
  expect(printed).toBe('user_sample\n')
})

const refusals: Record<CallbackRefusal, true> = {
  authorization_error: true,
  missing_code: true,
  state_mismatch: true,
  issuer_mismatch: true,
  repeated_parameter: true,
}

const failures: Record<TokenManagerFailure, true> = {
  not_found: true,
  refresh_rejected: true,
  refresh_outcome_unknown: true,
  undecryptable: true,
}

it('the tables have every reason', () => {
  const inTable = (heading: string, reasons: object) =>
    columnOf(page, heading).filter((cell) => cell in reasons)

  expect(inTable('When a callback is refused', refusals)).toEqual(Object.keys(refusals))
  expect(inTable('Access tokens that are always good', failures)).toEqual(Object.keys(failures))
})
