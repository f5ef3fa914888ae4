import { expect, it } from 'vitest'
import { adult, billableChecks } from '../support/checks.ts'
import { photoBase64 as image } from '../support/images.ts'
import { inProcess, overHttp } from '../support/service.ts'

// Section 8

const age = '/api/v2/age-verification'

it.each(billableChecks)('%s charges a call, and not a rejected request', async (path, body) => {
  const { emulator, post } = await overHttp({ wallet: { balance: 1, pricePerCall: 1 } })

  expect((await post(path, body, { headers: { 'X-API-Key': 'key_2' } })).status).toBe(401)
  expect((await post(path, [])).status).toBe(400)
  expect((await post(path, body)).status).toBe(200)
  expect((await post(path, body)).status).toBe(402)

  expect(emulator.ledger).toHaveLength(1)
})

it('sessions, discovery, sign-in and the organization API are free', async () => {
  const { get, patch, post, raw, session } = await overHttp({ wallet: { balance: 0, pricePerCall: 1 } })
  const { session_id } = await session()

  expect((await get(`/api/v2/session/${session_id}/decision`)).status).toBe(200)
  expect((await patch(`/api/v2/session/${session_id}/status`, { status: 'DECLINED' })).status).toBe(200)
  expect((await get('/api/v2/credential/states')).status).toBe(200)
  expect((await get('/api/sdk/members')).status).toBe(200)
  expect((await raw('POST', '/api/auth/oidc/token', { json: {} })).status).toBe(401)
  expect((await post('/api/v2/location', {})).status).toBe(402)
})

it('a new account has a credit of 100', async () => {
  const { emulator, post } = inProcess({ wallet: { pricePerCall: 1 } })

  await post(age, adult)

  expect(emulator.ledger).toMatchObject([{ amount: 1, balance: 99 }])
})

it('the ledger contains each charge with its operation, amount, balance, time, request and key', async () => {
  const { emulator, post, get, session } = await overHttp({ wallet: { balance: 1, pricePerCall: 0.1 } })

  const first = await post(age, adult)
  await post('/api/v2/location', {}, { key: 'key-1' })
  await post('/api/v2/antispoof', { image })
  await session()
  await get('/api/v2/credential/states')
  await post(age, {})

  const at = '2026-03-01T12:00:00.000Z'
  const requestId = expect.stringMatching(/^req_/)
  expect(emulator.ledger).toEqual([
    { operation: 'checks.age', amount: 0.1, balance: 0.9, requestId: first.headers.get('x-request-id'), at },
    { operation: 'checks.location', amount: 0.1, balance: 0.8, requestId, at, idempotencyKey: 'key-1' },
    { operation: 'experimental.antispoof.check', amount: 0.1, balance: 0.7, requestId, at },
  ])
})

it('a failed check is charged, because it is a result', async () => {
  const { emulator, post } = await overHttp({ outcomes: { liveness: 'failed' } })

  await post('/api/v2/liveness', { image })

  expect(emulator.ledger).toHaveLength(1)
})

it('decimal prices are subtracted without rounding errors', async () => {
  const { emulator, post } = await overHttp({ wallet: { balance: 0.3, pricePerCall: 0.1 } })
  const statuses: number[] = []

  for (let i = 0; i < 4; i++) statuses.push((await post(age, adult)).status)

  expect(statuses).toEqual([200, 200, 200, 402])
  expect(emulator.ledger.map(({ balance }) => balance)).toEqual([0.2, 0.1, 0])
})

it('concurrent calls never spend more than the balance', async () => {
  const { emulator, post } = inProcess({ wallet: { balance: 3, pricePerCall: 1 } })

  const responses = await Promise.all(Array.from({ length: 10 }, () => post(age, adult)))

  expect(responses.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(emulator.ledger.at(-1)?.balance).toBe(0)
})
