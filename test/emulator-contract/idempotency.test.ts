import { expect, it } from 'vitest'
import { listening } from './over-http.ts'

// Sections 4.3 and 7

const key = { 'Idempotency-Key': 'key-1' }
const license = { license_state: 'CA', license_type: 'Registered Nurse', license_number: 'RN-482913' }
const adult = { dob: '1990-04-12', bands: [18] }

const billable: [path: string, body: object][] = [
  ['/api/v2/id-verification', { front_image: 'AAAA' }],
  ['/api/v2/liveness', { image: 'AAAA' }],
  ['/api/v2/face-match', { image1: 'AAAA', image2: 'AAAA' }],
  ['/api/v2/age-verification', adult],
  ['/api/v2/credential-verification', license],
  ['/api/v2/kyc-credential', { ...license, front_image: 'AAAA', selfie: 'AAAA' }],
  ['/api/v2/location', { latitude: 1, longitude: 2 }],
]

it.each(billable)('%s gives the same answer under the same key, and bills it once', async (path, body) => {
  const { emulator, post } = await listening()

  const first = await post(path, body, key)
  const second = await post(path, body, key)

  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.data).toEqual(first.data)
  expect(emulator.ledger).toHaveLength(1)
})

it('without a key, or under another, the same body is another call', async () => {
  const { emulator, post } = await listening()
  const idOf = async (headers?: Record<string, string>) =>
    (await post<{ session_id: string }>('/api/v2/age-verification', adult, headers)).data.session_id

  const ids = [await idOf(key), await idOf({ 'Idempotency-Key': 'key-2' }), await idOf(), await idOf()]

  expect(new Set(ids).size).toBe(4)
  expect(emulator.ledger).toHaveLength(4)
})

it.each([
  ['another body', '/api/v2/age-verification', { ...adult, bands: [21] }],
  ['another check', '/api/v2/location', adult],
])('a key that comes back with %s is 422 idempotency_key_reused', async (_, path, body) => {
  const { emulator, post } = await listening()
  await post('/api/v2/age-verification', adult, key)

  const { status, error } = await post(path, body, key)

  expect([status, error?.code]).toEqual([422, 'idempotency_key_reused'])
  expect(emulator.ledger).toHaveLength(1)
})

it('a key whose first request still runs is 409 idempotency_in_progress, and its answer afterwards', async () => {
  const { emulator, post } = await listening()
  emulator.faults.add({ match: 'POST /api/v2/age-verification', delayMs: 150 })
  const running = post('/api/v2/age-verification', adult, key)
  while (emulator.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))

  const meanwhile = await post('/api/v2/age-verification', adult, key)
  const first = await running
  const afterwards = await post('/api/v2/age-verification', adult, key)

  expect([meanwhile.status, meanwhile.error?.code]).toEqual([409, 'idempotency_in_progress'])
  expect([first.status, afterwards.status]).toEqual([200, 200])
  expect(afterwards.data).toEqual(first.data)
  expect(emulator.ledger).toHaveLength(1)
})

it('an answer that was lost on its way is given again under the same key', async () => {
  const { emulator, post } = await listening()
  emulator.faults.add({ match: 'POST /api/v2/age-verification', reset: true, when: 'after' })

  await expect(post('/api/v2/age-verification', adult, key)).rejects.toThrow()
  const { status } = await post('/api/v2/age-verification', adult, key)

  expect(status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

it('a form of the same bytes is the same call', async () => {
  const { call, emulator } = await listening()
  const body =
    '--b\r\nContent-Disposition: form-data; name="image"; filename="i.jpg"\r\n\r\nJPEG\r\n--b--\r\n'
  const headers = { ...key, 'Content-Type': 'multipart/form-data; boundary=b' }
  const send = (text: string) => call('POST', '/api/v2/liveness', { headers, body: text })

  const [first, second] = [await send(body), await send(body)]

  expect(first.status).toBe(200)
  expect(second.data).toEqual(first.data)
  expect((await send(body.replace('JPEG', 'OTHER'))).error?.code).toBe('idempotency_key_reused')
  expect(emulator.ledger).toHaveLength(1)
})
