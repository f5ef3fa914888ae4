import { expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator.ts'
import { ConfigurationError } from '../../src/errors/sdk-error.ts'
import { emulated, formOf, receiver } from './emulated.ts'

it('works without options', async () => {
  const emulator = createEmulator()
  const { baseUrl, apiKey, fetch } = emulator.options.verification

  const response = await fetch(`${baseUrl}/api/v2/session`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ workflow_id: 'wf_identity' }),
  })

  expect(await response.json()).toMatchObject({ success: true, data: { status: 'NOT_STARTED' } })
})

it('takes a key and a secret of your own', async () => {
  const emulator = createEmulator({ apiKey: 'mine', webhooks: { secret: 'whisper' } })

  expect(emulator.options.verification.apiKey).toBe('mine')
  expect(emulator.webhooks.secret).toBe('whisper')
  const { fetch, baseUrl } = emulator.options.verification
  const { status } = await fetch(`${baseUrl}/api/v2/session`, {
    headers: { 'x-api-key': 'emulator_api_key' },
  })
  expect(status).toBe(401)
})

it.each<[string, EmulatorOptions]>([
  ['a blank key', { apiKey: ' ' }],
  ['a blank secret', { webhooks: { secret: '' } }],
  ['a destination on plain http', { webhooks: { destinations: ['http://app.example/hook'] } }],
  ['a destination that is no address', { webhooks: { destinations: ['hook'] } }],
  ['a negative balance', { wallet: { balance: -1 } }],
  ['a price that is no number', { wallet: { pricePerCall: Number.NaN } }],
  ['two workflows with one id', { workflows: ['a', 'b'].map((name) => ({ id: 'wf', name, features: [] })) }],
])('refuses %s', (_, options) => {
  expect(() => createEmulator(options)).toThrow(ConfigurationError)
})

it('the same seed gives the same ids, another seed others', async () => {
  const ids = async (seed: EmulatorOptions['seed']) => {
    const { emulator, session } = emulated({ seed, webhooks: receiver() })
    const { session_id, url, session_token } = await session({ callback: 'http://127.0.0.1:9/hook' })
    await emulator.sessions.complete(session_id, 'APPROVED')
    return [
      session_id,
      url,
      session_token,
      emulator.webhooks.deliveries[0]?.id,
      emulator.requests[0]?.requestId,
    ]
  }

  expect(await ids(1)).toEqual(await ids(1))
  expect(await ids(1)).toEqual(await ids('1'))
  for (const other of [await ids(2), await ids(undefined)])
    expect(other.filter((id, i) => id === undefined || other.indexOf(id) !== i)).toEqual([])
  expect(await ids(2)).not.toEqual(await ids(1))
  expect(await ids(undefined)).not.toEqual(await ids(undefined))
})

it('a thousand ids are a thousand different ids', async () => {
  const { session } = emulated()
  const seen = new Set<string>()

  for (let i = 0; i < 1000; i++) seen.add((await session()).session_id)

  expect(seen.size).toBe(1000)
})

it('reset brings back the first moment', async () => {
  const { emulator, call, post, session } = emulated({ webhooks: receiver() })
  const first = await session({ callback: 'http://127.0.0.1:9/hook' })
  await emulator.sessions.complete(first.session_id, 'APPROVED')
  await post('/api/v2/liveness', { image: btoa('image') }, { key: 'key-1' })
  await call('DELETE', '/api/v2/workflows/wf_identity')
  await emulator.clock.advance(1000)
  emulator.checks.script('liveness', 'failed')
  emulator.faults.add({ status: 500 })

  emulator.reset()

  expect([emulator.requests, emulator.ledger, emulator.webhooks.deliveries]).toEqual([[], [], []])
  expect(emulator.clock.now()).toEqual(new Date('2026-03-01T12:00:00Z'))
  expect(await session()).toMatchObject({ session_id: first.session_id, status: 'NOT_STARTED' })
  expect((await call('GET', '/api/v2/session')).data).toHaveLength(1)
  expect((await post('/api/v2/location', {}, { key: 'key-1' })).status).toBe(200)
  expect((await post('/api/v2/liveness', { image: btoa('image') })).data).toMatchObject({ status: 'passed' })
  expect(emulator.ledger.map(({ balance }) => balance)).toEqual([99.99, 99.98])
})

it('remembers what arrived, without credentials and without images', async () => {
  const { emulator, call, post } = emulated()

  await post(
    '/api/v2/age-verification?x=1',
    { dob: 'no', bands: [] },
    { key: 'key-1', headers: { cookie: 'c=1' } },
  )
  await call('POST', '/api/v2/liveness', { form: formOf('image') })
  await call('GET', '/unknown', { headers: { authorization: 'Bearer secret' } })

  const [age, liveness, unknown] = emulator.requests
  expect(age).toEqual({
    requestId: expect.stringMatching(/^req_/),
    at: '2026-03-01T12:00:00.000Z',
    method: 'POST',
    path: '/api/v2/age-verification?x=1',
    headers: {
      'content-type': 'application/json',
      cookie: '[masked]',
      'idempotency-key': 'key-1',
      'x-api-key': '[masked]',
    },
    operation: 'checks.age',
    idempotencyKey: 'key-1',
    body: '{"dob":"no","bands":[]}',
    bytes: 23,
    status: 400,
  })
  expect(liveness).toMatchObject({ status: 200, bytes: expect.any(Number) })
  expect(liveness?.bytes).toBeGreaterThan(100)
  expect(liveness).not.toHaveProperty('body')
  expect(unknown).toMatchObject({ path: '/unknown', status: 404, bytes: 0 })
  expect(unknown).not.toHaveProperty('operation')
  expect(JSON.stringify(emulator.requests)).not.toMatch(/emulator_api_key|secret/)
})

it('counts a long text instead of keeping it', async () => {
  const { emulator, post } = emulated()

  await post('/api/v2/liveness', { image: Buffer.alloc(100_000).toString('base64') })

  expect(emulator.requests[0]).not.toHaveProperty('body')
  expect(emulator.requests[0]?.bytes).toBeGreaterThan(100_000)
})
