import { expect, it } from 'vitest'
import { emulated, formOf, origin } from './emulated.ts'

const age = '/api/v2/age-verification'
const adult = { dob: '1990-01-01', bands: [18] }
const image = btoa('image')

it('charges each billable call once, and no other', async () => {
  const { emulator, call, post, session } = emulated({ wallet: { balance: 1, pricePerCall: 0.1 } })

  const first = await post(age, adult)
  await post('/api/v2/location', {}, { key: 'key-1' })
  await post('/api/v2/antispoof', { image })
  await session()
  await call('GET', '/api/v2/credential/states')
  await post(age, {})

  const at = '2026-03-01T12:00:00.000Z'
  const requestId = expect.stringMatching(/^req_/)
  expect(emulator.ledger).toEqual([
    { operation: 'checks.age', amount: 0.1, balance: 0.9, requestId: first.headers.get('x-request-id'), at },
    { operation: 'checks.location', amount: 0.1, balance: 0.8, requestId, at, idempotencyKey: 'key-1' },
    { operation: 'antispoof.check', amount: 0.1, balance: 0.7, requestId, at },
  ])
})

it('charges for a check that failed: it is a result', async () => {
  const { emulator, post } = emulated({ outcomes: { liveness: 'failed' } })

  await post('/api/v2/liveness', { image })

  expect(emulator.ledger).toHaveLength(1)
})

it('starts with the credit of a new account', async () => {
  const { emulator, post } = emulated({ wallet: { pricePerCall: 1 } })

  await post(age, adult)

  expect(emulator.ledger[0]?.balance).toBe(99)
})

it('answers 402 once the wallet cannot pay, and serves what is free', async () => {
  const { emulator, call, post } = emulated({ wallet: { balance: 0.3, pricePerCall: 0.1 } })
  const statuses: number[] = []

  for (let i = 0; i < 4; i++) statuses.push((await post(age, adult)).status)

  expect(statuses).toEqual([200, 200, 200, 402])
  const refused = await post(age, adult, { key: 'key-1' })
  expect(refused).toMatchObject({ status: 402, success: false, error: { message: expect.any(String) } })
  expect((await call('GET', '/api/v2/session')).status).toBe(200)
  expect(emulator.ledger).toHaveLength(3)
})

it('never spends more than there is, however many calls come at once', async () => {
  const { emulator, post } = emulated({ wallet: { balance: 3, pricePerCall: 1 } })

  const replies = await Promise.all(Array.from({ length: 10 }, () => post(age, adult)))

  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(emulator.ledger.at(-1)?.balance).toBe(0)
})

it('repeats the stored answer for the same key and bytes, without a second charge', async () => {
  const { emulator, post } = emulated()

  const first = await post(age, adult, { key: 'key-1' })
  await emulator.clock.advance(1000)
  const second = await post(age, adult, { key: 'key-1' })
  const other = await post(age, adult, { key: 'key-2' })
  const none = await post(age, adult)

  expect(second).toMatchObject({ status: 200, data: first.data })
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
  for (const fresh of [other, none])
    expect((fresh.data as { session_id: string }).session_id).not.toBe(
      (first.data as { session_id: string }).session_id,
    )
  expect(emulator.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-1', 'key-2', undefined])
})

it.each([
  ['another body', age, { dob: '1990-01-01', bands: [21] }, {}],
  ['the same members, spelled otherwise', age, { bands: [18], dob: '1990-01-01' }, {}],
  ['another path', '/api/v2/location', adult, {}],
  ['another content type', age, adult, { headers: { 'content-type': 'application/json; charset=utf-8' } }],
])('answers 422 when a key comes back with something else: %s', async (_, path, body, more) => {
  const { emulator, post } = emulated()
  await post(age, adult, { key: 'key-1' })

  const reply = await post(path, body, { key: 'key-1', ...more })

  expect(reply).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } })
  expect(emulator.ledger).toHaveLength(1)
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
})

it('takes a form under another boundary for another body', async () => {
  const { call } = emulated()

  expect((await call('POST', '/api/v2/liveness', { form: formOf('image'), key: 'key-1' })).status).toBe(200)
  expect((await call('POST', '/api/v2/liveness', { form: formOf('image'), key: 'key-1' })).status).toBe(422)
})

it('repeats the answer to a form of the same bytes', async () => {
  const { emulator } = emulated()
  const form = new Response(formOf('image'))
  const contentType = form.headers.get('content-type') as string
  const body = await form.arrayBuffer()
  const headers = { 'x-api-key': 'emulator_api_key', 'idempotency-key': 'key-1', 'content-type': contentType }
  const send = () =>
    emulator.fetch(new Request(`${origin}/api/v2/liveness`, { method: 'POST', headers, body }))

  const [first, second] = [await (await send()).text(), await (await send()).text()]

  expect(second).toBe(first)
  expect(emulator.ledger).toHaveLength(1)
})

it('answers 409 while the first request under a key still runs', async () => {
  const { emulator, post } = emulated()
  emulator.faults.add({ match: 'checks.age', delayMs: 60_000 })
  const leaving = new AbortController()
  const first = post(age, adult, { key: 'key-1', signal: leaving.signal }).catch(() => 'left')

  const second = await post(age, adult, { key: 'key-1' })
  const different = await post(age, { ...adult, bands: [21] }, { key: 'key-1' })
  leaving.abort()

  expect(second).toMatchObject({ status: 409, error: { code: 'idempotency_in_progress' } })
  expect(different).toMatchObject({ status: 422, error: { code: 'idempotency_key_reused' } })
  expect(await first).toBe('left')
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
})

it('leaves a key free when the request was refused', async () => {
  const { emulator, post } = emulated()

  expect((await post(age, { dob: 'never', bands: [] }, { key: 'key-1' })).status).toBe(400)
  expect((await post(age, adult, { key: 'key-1', headers: { 'x-api-key': 'wrong' } })).status).toBe(401)
  emulator.faults.add({ match: 'checks.age', status: 503 })
  expect((await post(age, adult, { key: 'key-1' })).status).toBe(503)

  expect((await post(age, adult, { key: 'key-1' })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('honours a key on session creation, and on nothing else that is free', async () => {
  const { call, post } = emulated()
  const seed = { workflow_id: 'wf_identity' }

  const [first, second] = [
    await post('/api/v2/session', seed, { key: 'key-1' }),
    await post('/api/v2/session', seed, { key: 'key-1' }),
  ]
  await post('/api/v2/workflows', { name: 'A', features: [] }, { key: 'key-2' })
  await post('/api/v2/workflows', { name: 'A', features: [] }, { key: 'key-2' })

  expect(second.data).toEqual(first.data)
  expect((await call('GET', '/api/v2/session')).data).toHaveLength(1)
  expect((await call('GET', '/api/v2/workflows')).data).toHaveLength(4)
})
