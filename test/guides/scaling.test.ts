import { expect, it, onTestFinished } from 'vitest'
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
  type WebhookHandler,
} from '../../src/index.ts'
import { countingStore } from '../support/counting-store.ts'
import { documentedCode } from '../support/documented-code.ts'
import { startDatabase } from '../support/postgres-server.ts'
import { describeWith } from '../support/programs.ts'
import { startRedis } from '../support/redis-server.ts'
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

interface Stored {
  readonly store: Store
  readonly pool: { end(): Promise<void> }
  readonly client: { destroy(): void }
}

describeWith('postgres', 'that the store of the guide is in Postgres', () => {
  it('the pool of the example has a store', async () => {
    const postgres = await startDatabase()
    onTestFinished(() => postgres.remove())
    const { pool, store } = await guide.load<Stored>('Choose a store', { env: { DATABASE_URL: postgres.url } })

    expect(await store.set('key', '1')).toBe(true)
    await pool.end()
  }, 60_000)
})

describeWith('redis-server', 'that webhook handlers share a Redis', () => {
  it('two processes that share a store handle one event once, and an operation on a silent Redis ends in time', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.remove())
    const event = anEvent({ test: true })
    const delivery = await signWebhook({ event, secret: emulator.webhooks.secret })

    const outcomes: string[] = []
    for (let processes = 0; processes < 2; processes++) {
      const { store, client } = await guide.load<Stored>('Silent connections', { env: { REDIS_URL: redis.url } })
      const options = { onTestEvent: () => undefined }
      const modules = { './webhook-options.ts': { options }, './store.ts': { store } }
      const { handler } = await guide.load<{ handler: WebhookHandler }>('Share handled events', { modules })
      outcomes.push((await handler.handle(delivery)).outcome)
      expect(store.operationTimeoutMs).toBe(2_000)
      client.destroy()
    }

    expect(outcomes).toEqual(['test', 'duplicate'])
  })
})
