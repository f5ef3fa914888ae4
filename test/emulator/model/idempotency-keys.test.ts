import { expect, it, onTestFinished, vi } from 'vitest'
import { adult, type CheckResult } from '../support/checks.ts'
import { form, photo } from '../support/images.ts'
import { inProcess, overHttp } from '../support/service.ts'

// Sections 4.3 and 7

const age = '/api/v2/age-verification'
const key = 'key-1'

it('a request with another key, or without one, is another call', async () => {
  const { emulator, post } = await overHttp()
  const idOf = async (sent: object) => (await post<CheckResult>(age, adult, sent)).data.session_id

  const ids = [await idOf({ key }), await idOf({ key: 'key-2' }), await idOf({}), await idOf({})]

  expect(new Set(ids).size).toBe(4)
  expect(emulator.ledger.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['key-1', 'key-2', undefined, undefined])
})

it.each([
  ['another body', age, { ...adult, bands: [21] }, {}],
  ['the same members in another order', age, { bands: [18], dob: adult.dob }, {}],
  ['another path', '/api/v2/location', adult, {}],
  ['another content type', age, adult, { headers: { 'Content-Type': 'application/json; charset=utf-8' } }],
])('a key that is sent again with %s returns 422 idempotency_key_reused', async (_, path, body, sent) => {
  const { emulator, post } = await overHttp()
  await post(age, adult, { key })

  const { status, error } = await post(path, body, { key, ...sent })

  expect([status, error?.code]).toEqual([422, 'idempotency_key_reused'])
  expect((await post(age, adult, { key })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a form with the same bytes is the same body', async () => {
  const { call, emulator } = await overHttp()
  const body = '--b\r\nContent-Disposition: form-data; name="image"; filename="i.jpg"\r\n\r\nJPEG\r\n--b--\r\n'
  const headers = { 'Content-Type': 'multipart/form-data; boundary=b' }
  const send = (text: string) => call('POST', '/api/v2/liveness', { key, headers, body: text })

  const [first, second] = [await send(body), await send(body)]

  expect(first.status).toBe(200)
  expect(second.data).toEqual(first.data)
  expect((await send(body.replace('JPEG', 'OTHER'))).error?.code).toBe('idempotency_key_reused')
  expect(emulator.ledger).toHaveLength(1)
})

it('a form with another boundary is another body', async () => {
  const { call } = await overHttp()
  const send = () => call('POST', '/api/v2/liveness', { body: form({ image: photo }), key })

  expect((await send()).status).toBe(200)
  expect((await send()).error?.code).toBe('idempotency_key_reused')
})

it('returns 409 idempotency_in_progress while the first request runs, and its response afterwards', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', delayMs: 5000 })
  const running = post(age, adult, { key })

  const meanwhile = await post(age, adult, { key })
  const different = await post(age, { ...adult, bands: [21] }, { key })
  await vi.advanceTimersByTimeAsync(5000)
  const first = await running
  const afterwards = await post(age, adult, { key })

  expect([meanwhile.status, meanwhile.error?.code]).toEqual([409, 'idempotency_in_progress'])
  expect([different.status, different.error?.code]).toEqual([422, 'idempotency_key_reused'])
  expect([first.status, afterwards.status]).toEqual([200, 200])
  expect(afterwards.data).toEqual(first.data)
  expect(emulator.ledger).toHaveLength(1)
})

it('a request that its client aborted leaves the key free', async () => {
  const { emulator, post } = inProcess()
  emulator.faults.add({ match: 'checks.age', delayMs: 60_000 })
  const aborting = new AbortController()
  const first = post(age, adult, { key, signal: aborting.signal })
  const aborted = expect(first).rejects.toThrow()
  expect((await post(age, adult, { key })).status).toBe(409)

  aborting.abort()

  await aborted
  expect((await post(age, adult, { key })).status).toBe(200)
})

it('a request that was rejected leaves the key free', async () => {
  const { emulator, post } = await overHttp()

  expect((await post(age, { dob: 'never', bands: [] }, { key })).status).toBe(400)
  expect((await post(age, adult, { key, headers: { 'X-API-Key': 'wrong' } })).status).toBe(401)
  emulator.faults.add({ match: 'checks.age', status: 503 })
  expect((await post(age, adult, { key })).status).toBe(503)

  expect((await post(age, adult, { key })).status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a key is honored for session creation, and for no other free operation', async () => {
  const { get, post } = await overHttp()
  const workflow = { name: 'A', features: [] }

  const first = await post('/api/v2/session', { workflow_id: 'wf_identity' }, { key })
  const second = await post('/api/v2/session', { workflow_id: 'wf_identity' }, { key })
  await post('/api/v2/workflows', workflow, { key: 'key-2' })
  await post('/api/v2/workflows', workflow, { key: 'key-2' })

  expect(second.data).toEqual(first.data)
  expect((await get('/api/v2/session')).data).toHaveLength(1)
  expect((await get('/api/v2/workflows')).data).toHaveLength(4)
})
