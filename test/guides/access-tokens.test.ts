import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeEach, expect, it } from 'vitest'
import type { TokenManagerReason } from '../../src/errors/sign-in-errors.ts'
import { memoryStore, OidcClient, type Store, type TokenSet } from '../../src/index.ts'
import { documentedCode } from '../support/documented-code.ts'
import { blockOf, columnOf } from './reading.ts'

const page = 'docs/guides/access-tokens.md'
const guide = documentedCode('docs/guides/access-tokens.md')
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

/** Runs the command of the guide that generates a key. */
async function newKey(): Promise<string> {
  const command = blockOf(page, 'sh', 'Keep tokens valid')
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
    modules: { './store.ts': { store } },
    env: { TOKEN_KEY: await newKey() },
  }
  const name = 'Keep tokens valid'
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
    const me = (token: string, scheme = 'Bearer') =>
      fetch(`http://127.0.0.1:${port}/me`, { headers: { authorization: `${scheme} ${token}` } })

    expect(await (await me(access_token)).text()).toBe('user_sample')
    expect((await me(access_token, 'bearer')).status, 'the case of the scheme does not matter').toBe(200)
    expect((await me(`${access_token.slice(0, -4)}AAAA`)).status).toBe(401)
  })
})

it('an id_token is validated without a client', async () => {
  const { id_token } = await someTokens()
  const { subjectOf } = await guide.load<{ subjectOf(token: string): Promise<string> }>('Validate tokens in an API 2')
  expect(await subjectOf(String(id_token))).toBe('user_sample')
})

const managerReasons: Record<TokenManagerReason, true> = {
  not_found: true,
  refresh_rejected: true,
  refresh_outcome_unknown: true,
  undecryptable: true,
}

it('the table lists every reason of the token manager', () => {
  const listed = columnOf(page, 'Keep tokens valid').filter((cell) => cell in managerReasons)

  expect(listed).toEqual(Object.keys(managerReasons))
})
