import { afterEach, expect, it } from 'vitest'
import {
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  memoryStore,
  OidcClient,
  OrgClient,
  VerificationClient,
  validateIdToken,
  verifyWebhook,
} from '../../../src/index.ts'
import { postgresStore } from '../../../src/stores-postgres.ts'
import { redisStore } from '../../../src/stores-redis.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'
import { testClient } from '../../support/verification-client.ts'
import { aDelivery, clockAt, secret, signedAt } from '../../support/webhook.ts'

const added: string[] = []

/** Adds a property to the prototype of all objects until the test has ended. */
function pollute(name: string, value: unknown): void {
  added.push(name)
  Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
}

afterEach(() => {
  for (const name of added.splice(0)) delete (Object.prototype as Record<string, unknown>)[name]
})

const baseUrl = 'https://id.example.test'
const store = memoryStore()
const client = new VerificationClient({ baseUrl, apiKey: 'key_1' })
const credentials = { baseUrl, clientId: 'id', clientSecret: 'secret' }
const oidc = new OidcClient({ ...credentials, redirectUri: 'https://app.example.test/callback' })
const test = () => {}

const creations: [name: string, value: unknown, create: () => unknown][] = [
  ['timeoutMs', 3_600_000, () => new VerificationClient({ baseUrl, apiKey: 'key_1' })],
  ['maxResponseBytes', 2 ** 40, () => new OrgClient(credentials)],
  ['clockToleranceSeconds', 86_400, () => new OidcClient({ ...credentials, redirectUri: baseUrl })],
  ['toleranceSeconds', 1e9, () => createWebhookHandler({ secret, onTestEvent: test })],
  ['maxBodyBytes', 2 ** 40, () => createWebhookHandler({ secret, onTestEvent: test })],
  ['requires', [], () => createVerificationManager({ client, store, session: {} })],
  ['encryptionKey', '', () => createTokenManager({ oidc, store })],
  ['prefix', 'other:', () => redisStore({ eval: test } as never)],
  ['operationTimeoutMs', 1, () => postgresStore({ query: test } as never)],
  ['maxEntries', 1, () => memoryStore({})],
]

it.each(creations)('%s that is inherited is a ConfigurationError: %j', (name, value, create) => {
  pollute(name, value)
  expect(create).toThrow(`${name} must not be inherited`)
})

it('an inherited option of a call is rejected', async () => {
  const call = { ...credentials }
  pollute('maxRetries', 10)
  await expect(client.sessions.retrieve('sess_1', {})).rejects.toThrow('maxRetries must not be inherited')
  const issuer = { issuer: baseUrl, audience: call.clientId, jwks: { keys: [] } }
  pollute('clockToleranceSeconds', 86_400)
  await expect(validateIdToken('', issuer)).rejects.toThrow('clockToleranceSeconds must not be inherited')
})

it('what is added to the prototype of all objects later changes nothing', async () => {
  const { fetch } = scriptedFetch(succeed({ unexpected: true }))
  const { client: made } = testClient({ fetch })
  pollute('responseValidation', 'strict')
  await expect(made.sessions.retrieve('sess_1')).resolves.toEqual({ unexpected: true })
})

it('verifyWebhook reads its secret, tolerance and clock from its params only', async () => {
  const delivery = await aDelivery()
  pollute('toleranceSeconds', 1e9)
  pollute('now', clockAt(signedAt))
  pollute('secret', secret)

  await expect(verifyWebhook({ ...delivery, secret })).rejects.toMatchObject({
    reason: 'timestamp_out_of_tolerance',
  })
  await expect(verifyWebhook(delivery)).rejects.toThrow('secret is missing')
})
