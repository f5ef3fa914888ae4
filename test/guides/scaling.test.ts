import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  memoryStore,
  OidcClient,
  type Store,
  signWebhook,
  type TokenSet,
  VerificationClient,
} from '../../src/index.ts'
import { countingStore } from '../support/counting-store.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
import type { Service } from '../support/service-process.ts'
import { anEvent } from '../support/webhook.ts'
import { columnOf } from './reading.ts'

const page = 'docs/guides/scaling.md'
const guide = documentedCode('docs/guides/scaling.md')
const { emulator } = guide

/** Creates a store that counts its operations. */
function counting() {
  const { store, operations } = countingStore(memoryStore())
  const operationsOf = async (work: () => Promise<unknown>) => {
    operations.length = 0
    await work()
    return operations.length
  }
  return { store, operationsOf }
}

const redirectUri = 'http://127.0.0.1:3000/callback'

async function someTokens(oidc: OidcClient): Promise<TokenSet> {
  const login = await oidc.createAuthorization()
  return oidc.handleCallback(emulator.signIn.approve(login.url), login)
}

it('the table of shared state gives the number of store operations', async () => {
  const { store, operationsOf } = counting()
  const secret = 'a secret of thirty-two characters'
  const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri })
  const webhooks = createWebhookHandler({ secret, store, onTestEvent: () => undefined })
  const delivery = await signWebhook({ event: anEvent({ test: true }), secret })
  const signIn = createSignInHandler({ oidc, store, cookieSecret: secret, onSignIn: () => undefined })
  const tokens = createTokenManager({ oidc, store })
  await tokens.save('ada', await someTokens(oidc))
  const client = new VerificationClient(emulator.options.verification)
  const session = { workflow_id: 'wf_identity' }
  const verifications = createVerificationManager({ client, store, session, onChange: () => undefined })

  const counted = [
    await operationsOf(() => webhooks.handle(delivery)),
    await operationsOf(async () => {
      const login = await signIn.fetch(new Request('http://127.0.0.1:3000/login'))
      const cookie = String(login.headers.get('set-cookie')).split(';')[0] as string
      const callback = emulator.signIn.approve(String(login.headers.get('location')))
      await signIn.fetch(new Request(callback, { headers: { cookie } }))
    }),
    await operationsOf(() => tokens.getAccessToken('ada')),
    await operationsOf(() => verifications.start('ada')),
  ]

  expect(columnOf(page, 'Shared state', 2).map((cell) => Number.parseInt(cell, 10))).toEqual(counted)
})

interface Tokens {
  readonly pool: { end(): Promise<void> }
  accessTokenOf(user: string): Promise<string>
  signedIn(user: string, tokens: TokenSet): Promise<void>
}

describeWith('postgres', 'that processes share tokens in Postgres', () => {
  let postgres: Service
  beforeAll(async () => {
    postgres = await startDatabase()
  }, 60_000)
  afterAll(() => postgres?.remove())

  it('two processes that share a database refresh a token once', async () => {
    const env = { DATABASE_URL: postgres.url, TOKEN_KEY: Buffer.alloc(32, 7).toString('base64url') }
    const processes = [
      await guide.load<Tokens>('Choose a store', { env }),
      await guide.load<Tokens>('Choose a store', { env }),
    ]
    const { clientId, clientSecret } = emulator.options.oidc
    const oidc = new OidcClient({ baseUrl: guide.service.url, clientId, clientSecret, redirectUri })
    await processes[0]?.signedIn('ada', { ...(await someTokens(oidc)), expiresAtSeconds: 0 })
    const before = emulator.requests.length

    const given = await Promise.all(processes.map(({ accessTokenOf }) => accessTokenOf('ada')))
    for (const { pool } of processes) await pool.end()

    expect(new Set(given).size).toBe(1)
    expect(emulator.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1)
  })
})

interface Limited {
  readonly client: { destroy(): void }
  readonly store: Store
}

describeWith('redis-server', 'that operations on a silent Redis end in time', () => {
  let redis: Service
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.remove())

  it('the example sets the time limit of its store', async () => {
    const env = { REDIS_URL: redis.url }
    const { client, store } = await guide.load<Limited>('Silent connections', { env })
    expect(await store.set('key', '1')).toBe(true)
    expect(store.operationTimeoutMs).toBe(2_000)
    client.destroy()
  })
})
