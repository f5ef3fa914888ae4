// Misspelled on purpose: cspell:ignore livenes

import { expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../../../src/emulator.ts'
import { ConfigurationError, VerificationClient } from '../../../../src/index.ts'
import { adult } from '../../support/checks.ts'
import { form, photo } from '../../support/images.ts'
import { inProcess, overHttp } from '../../support/service.ts'
import { callback, receiver } from '../../support/webhook-receivers.ts'

it('createEmulator works without options', async () => {
  const emulator = createEmulator()
  const { baseUrl, apiKey, fetch } = emulator.options.verification

  const response = await fetch(`${baseUrl}/api/v2/session`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_id: 'wf_identity' }),
  })

  expect(await response.json()).toMatchObject({ success: true, data: { status: 'NOT_STARTED' } })
})

it.each([
  ['wf_identity', ['id_verification', 'liveness', 'face_match']],
  ['wf_professional', ['id_verification', 'liveness', 'face_match', 'credential']],
])('the default workflow %s has the checks %j', async (workflow_id, features) => {
  const { session } = inProcess()

  expect((await session({ workflow_id })).features).toEqual(features)
})

it('apiKey and webhooks.secret replace the default credentials', async () => {
  const emulator = createEmulator({ apiKey: 'mine', webhooks: { secret: 'whisper' } })

  expect(emulator.options.verification.apiKey).toBe('mine')
  expect(emulator.webhooks.secret).toBe('whisper')
  const { fetch, baseUrl } = emulator.options.verification
  const { status } = await fetch(`${baseUrl}/api/v2/session`, {
    headers: { 'x-api-key': 'emulator_api_key' },
  })
  expect(status).toBe(401)
})

it('org replaces the credentials and the name of the organization', async () => {
  const { emulator, get, call } = await overHttp({
    org: { clientId: 'mine', clientSecret: 'whisper', name: 'Analytical Engines' },
  })

  const headers = { 'X-Client-Id': 'mine', 'X-Client-Secret': 'whisper' }
  expect((await call('GET', '/api/sdk/members', { headers })).data).toMatchObject({
    members: [],
    organization: { name: 'Analytical Engines' },
  })
  expect((await get('/api/sdk/members')).status).toBe(401)
  expect(emulator.options.org).toMatchObject({ clientId: 'mine', clientSecret: 'whisper' })
})

const [ada, bob] = ['ada@example.com', 'bob@example.com']

it.each<[string, EmulatorOptions]>([
  ['a blank apiKey', { apiKey: ' ' }],
  ['an apiKey with a NUL', { apiKey: 'a\0b' }],
  ['a webhook secret with a line break', { webhooks: { secret: 'a\nb' } }],
  ['a webhook destination with http', { webhooks: { destinations: ['http://app.example/hook'] } }],
  ['a negative balance', { wallet: { balance: -1 } }],
  ['a price that is not a number', { wallet: { pricePerCall: Number.NaN } }],
  ['two workflows with one id', { workflows: ['a', 'b'].map((name) => ({ id: 'wf', name, features: [] })) }],
  ['an empty name of the organization', { org: { name: '' } }],
  ['a seat price that is not a number', { org: { billing: { pricePerSeat: Number.NaN } } }],
  ['a member without an email', { members: [{ email: '' }] }],
  ['two members with one email', { members: [{ email: ada }, { email: 'Ada@example.com' }] }],
  [
    'two members with one svc_id',
    {
      members: [
        { email: ada, svc_id: 'svc_1' },
        { email: bob, svc_id: 'svc_1' },
      ],
    },
  ],
  ['an empty list of redirect URIs', { oidc: { redirectUris: [] } }],
  ['a relative redirect URI', { oidc: { redirectUris: ['/back'] } }],
  ['scopes without openid', { oidc: { scopes: ['profile'] } }],
  ['an empty list of users', { users: [] }],
  ['two users with one sub', { users: [{ sub: 'u' }, { sub: 'u' }] }],
])('createEmulator throws ConfigurationError for %s', (_, options) => {
  expect(() => createEmulator(options)).toThrow(ConfigurationError)
})

it.each<[object, string]>([
  [{ apikey: 'k' }, 'createEmulator: apikey is not an option. Did you mean apiKey?'],
  [{ workflow: [] }, 'createEmulator: workflow is not an option. Did you mean workflows?'],
  [{ wallet: { price: 1 } }, 'wallet.price is not an option. Did you mean pricePerCall?'],
  [{ org: { billing: { pricePerSeats: 1 } } }, 'org.billing.pricePerSeats is not an option. Did you mean'],
  [{ outcomes: { livenes: 'failed' } }, 'outcomes.livenes is not an option. Did you mean liveness?'],
  [{ apiKey: 5 }, 'createEmulator: apiKey must be a string'],
  [{ onRequest: 'log' }, 'createEmulator: onRequest must be a function'],
  [{ org: { billing: { trialEndsAt: 'soon' } } }, 'org.billing.trialEndsAt must be a time in ISO 8601'],
  [{ outcomes: { liveness: 'fail' } }, 'outcomes.liveness must be one of pending, running'],
])('createEmulator rejects an unknown name with the nearest known one: %j', (options, message) => {
  expect(() => createEmulator(options)).toThrow(ConfigurationError)
  expect(() => createEmulator(options)).toThrow(message)
})

it('createEmulator rejects options that are not an object', () => {
  expect(() => createEmulator('emulator_api_key' as never)).toThrow('createEmulator: the options must be an object')
})

it('listen rejects an unknown option with the nearest known one', async () => {
  const options: object = { publicURL: 'https://identity.test' }

  await expect(createEmulator().listen(options)).rejects.toThrow('publicURL is not an option. Did you mean publicUrl?')
})

it('the same seed gives the same ids, and another seed gives others', async () => {
  const ids = async (seed: EmulatorOptions['seed']) => {
    const { emulator, session } = inProcess({ seed, webhooks: { deliver: receiver().deliver } })
    const { session_id, url, session_token } = await session({ callback })
    await emulator.sessions.complete(session_id, 'APPROVED')
    return [session_id, url, session_token, emulator.webhooks.deliveries[0]?.id, emulator.requests[0]?.requestId]
  }

  expect(await ids(1)).toEqual(await ids(1))
  expect(await ids(1)).toEqual(await ids('1'))
  for (const other of [await ids(2), await ids(undefined)])
    expect(other.filter((id, i) => id === undefined || other.indexOf(id) !== i)).toEqual([])
  expect(await ids(2)).not.toEqual(await ids(1))
  expect(await ids(undefined)).not.toEqual(await ids(undefined))
})

it('reset restores the initial state of sessions, workflows, wallet, clock, scripts and faults', async () => {
  const { emulator, call, get, post, session } = inProcess({
    seed: 1,
    webhooks: { deliver: receiver().deliver },
  })
  const first = await session({ callback })
  await emulator.sessions.complete(first.session_id, 'APPROVED')
  await call('POST', '/api/v2/liveness', { body: form({ image: photo }), key: 'key-1' })
  await call('DELETE', '/api/v2/workflows/wf_identity')
  await emulator.clock.advance(1000)
  emulator.checks.script('age', 'failed')
  emulator.faults.add({ status: 500 })

  emulator.reset()

  expect([emulator.requests, emulator.ledger, emulator.webhooks.deliveries]).toEqual([[], [], []])
  expect(emulator.clock.now()).toEqual(new Date('2026-03-01T12:00:00Z'))
  expect(await session()).toMatchObject({ session_id: first.session_id, status: 'NOT_STARTED' })
  expect((await get('/api/v2/session')).data).toHaveLength(1)
  expect((await post('/api/v2/location', {}, { key: 'key-1' })).status).toBe(200)
  expect((await post('/api/v2/age-verification', adult)).data).toMatchObject({ status: 'passed' })
  expect(emulator.ledger.map(({ balance }) => balance)).toEqual([99.99, 99.98])
})

it('a clock may return milliseconds, as Date.now does', async () => {
  const emulator = createEmulator({ clock: (() => 1_767_225_600_000) as never })
  await emulator.clock.advance(1000)

  expect(emulator.clock.now()).toEqual(new Date('2026-01-01T00:00:01Z'))
})

it.each([new Date('never'), undefined, 'today'])('a billed call names a clock that returns %s', async (time) => {
  const { options } = createEmulator({ clock: (() => time) as never })
  const call = new VerificationClient(options.verification).checks.age({ dob: '1990-12-10', bands: [18] })

  await expect(call).rejects.toMatchObject({
    name: 'ConfigurationError',
    message: 'createEmulator: clock must return a valid Date',
  })
})
