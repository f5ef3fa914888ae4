import { expect, it } from 'vitest'
import {
  ConfigurationError,
  createTokenManager,
  createVerificationManager,
  memoryStore,
  OidcClient,
  VerificationClient,
} from '../../../src/index.ts'
import { aSession } from '../../support/fixtures.ts'
import { scriptedFetch, succeed } from '../../support/scripted-fetch.ts'

const subject = '42'
const recordKey = `verification:default:${subject}`
const message = 'belongs to an application with another baseUrl or clientId'
const secret = 'secret-of-this-application'

function managerAt(baseUrl: string, store = memoryStore(), apiKey = 'key-of-this-application') {
  const { fetch } = scriptedFetch(succeed({ ...aSession(), expires_at: '2100-01-01T00:00:00Z' }))
  const client = new VerificationClient({ baseUrl, apiKey, fetch, maxRetries: 0 })
  return { store, manager: createVerificationManager({ client, store, session: {} }) }
}

it('a record names the application, and contains no credential', async () => {
  const { manager, store } = managerAt('https://id.example.com/api')
  await manager.start(subject)

  const text = (await store.get(recordKey)) ?? ''
  expect(JSON.parse(text)).toMatchObject({ app: 'https://id.example.com/api' })
  expect(text).not.toContain('key-of-this-application')
})

it('the person of another application is rejected by every method, and stays', async () => {
  const { store, manager } = managerAt('https://id.example.com')
  await manager.start(subject)
  const before = await store.get(recordKey)
  const { manager: other } = managerAt('https://test.example.com', store)

  for (const call of [
    () => other.get(subject),
    () => other.start(subject),
    () => other.ensureApproved(subject),
    () => other.refresh(subject),
    () => other.forget(subject),
  ])
    await expect(call()).rejects.toThrow(message)
  await expect(other.get(subject)).rejects.toBeInstanceOf(ConfigurationError)

  expect(await store.get(recordKey)).toBe(before)
  expect((await managerAt('https://id.example.com', store, 'another-key').manager.get(subject)).state).toBe('open')
})

it('an emulator is one application, whatever its port, and not the service', async () => {
  const { store, manager } = managerAt('http://127.0.0.1:4010')
  await manager.start(subject)

  expect((await managerAt('http://localhost:4011', store).manager.get(subject)).state).toBe('open')
  await expect(managerAt('https://id.example.com', store).manager.get(subject)).rejects.toThrow(message)
})

it('a record that names no application is read, and named when it is written again', async () => {
  const { store, manager } = managerAt('https://id.example.com')
  await manager.start(subject)
  const { app: _, ...old } = JSON.parse((await store.get(recordKey)) ?? '')
  await store.set(
    recordKey,
    JSON.stringify({ ...old, sessions: [{ ...old.sessions[0], expiresAt: '2020-01-01T00:00:00Z' }] }),
  )

  expect((await manager.get(subject)).sessionId).toBe('sess_1')
  await manager.start(subject).catch(() => {})
  expect(JSON.parse((await store.get(recordKey)) ?? '')).toMatchObject({ app: 'https://id.example.com' })
})

const tokens = {
  access_token: 'access_1',
  refresh_token: 'refresh_1',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
  expiresAtSeconds: 4_000_000_000,
}

it.each([undefined, Buffer.alloc(32, 1)])('tokens of another client are rejected', async (encryptionKey) => {
  const store = memoryStore()
  const managerOf = (clientId: string) => {
    const oidc = new OidcClient({ baseUrl: 'https://id.example.com', clientId, clientSecret: secret })
    return createTokenManager({ oidc, store, ...(encryptionKey && { encryptionKey }) })
  }
  await managerOf('client_1').save(subject, tokens as never)

  expect(await managerOf('client_1').getAccessToken(subject)).toBe('access_1')
  await expect(managerOf('client_2').getAccessToken(subject)).rejects.toThrow(message)
  expect(await store.get(`tokens:${subject}`)).not.toContain(secret)
})

it('tokens that name no application are read', async () => {
  const store = memoryStore()
  const oidc = new OidcClient({
    baseUrl: 'https://id.example.com',
    clientId: 'client_1',
    clientSecret: secret,
  })
  await store.set(`tokens:${subject}`, JSON.stringify({ state: 'held', tokens }))

  expect(await createTokenManager({ oidc, store }).getAccessToken(subject)).toBe('access_1')
})
