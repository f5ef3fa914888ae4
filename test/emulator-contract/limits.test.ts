import { expect, it } from 'vitest'
import { form, listening, photo, photoBase64 } from './over-http.ts'

// Section 8. Codes and tokens are in tokens.test.ts, bursts in unconfirmed.test.ts, scores in checks.test.ts and
// lifetimes of sessions in session-status.test.ts.

const people = (count: number) => Array.from({ length: count }, (_, i) => ({ email: `p${i}@example.com` }))

it.each([1, 500])('an add takes %i members', async (count) => {
  const { post } = await listening()

  const { status, data } = await post<{ created: object[] }>('/api/sdk/members', { members: people(count) })

  expect([status, data.created.length]).toEqual([201, count])
})

it.each([0, 501])('an add of %i members is 400 invalid_request', async (count) => {
  const { get, post } = await listening()

  const { status, data, error } = await post('/api/sdk/members', { members: people(count) })

  expect([status, error?.code]).toEqual([400, 'invalid_request'])
  expect(data).toEqual({ errors: { members: expect.anything() } })
  expect((await get('/api/sdk/members')).data).toMatchObject({ members: [] })
})

it('an invite is sent again at most 10 times a minute, else 429 rate_limited', async () => {
  const { call, emulator } = await listening({ members: [{ email: 'ada@example.com', status: 'link_sent' }] })
  const invite = () => call('POST', '/api/sdk/members/ada@example.com/invite')
  const statuses: number[] = []

  for (let i = 0; i < 10; i++) statuses.push((await invite()).status)
  const eleventh = await invite()
  await emulator.clock.advance(59_000)
  const tooEarly = await invite()
  await emulator.clock.advance(1_000)

  expect(statuses).toEqual(Array(10).fill(200))
  expect([eleventh.status, eleventh.error?.code]).toEqual([429, 'rate_limited'])
  expect(tooEarly.status).toBe(429)
  expect((await invite()).status).toBe(200)
})

// The contract does not say which megabyte it means: what both readings refuse is refused, what both allow is taken.
const tooLarge = new Uint8Array(20 * 1024 * 1024)
const largest = new Uint8Array(20_000_000 - 1)

/** They take a moment where the machine has much to do. */
const large = { timeout: 30_000 }

const license = { license_type: 'Registered Nurse', license_state: 'CA', license_number: 'RN-482913' }

it.each([
  ['/api/v2/id-verification', 'back_image', { front_image: photo }],
  ['/api/v2/kyc-credential', 'selfie', { ...license, front_image: photo }],
  ['/api/v2/antispoof', 'image', {}],
])('%s with a %s of 20 MB is 413 image_too_large', large, async (path, name, others) => {
  const { call, emulator } = await listening()

  const { status, error } = await call('POST', path, { body: form({ ...others, [name]: tooLarge }) })

  expect([status, error?.code]).toEqual([413, 'image_too_large'])
  expect(emulator.ledger).toEqual([])
})

it.each([
  ['/api/v2/liveness', 'image', 'data:image/jpeg;base64,'],
  ['/api/v2/antispoof', 'image', ''],
])('%s with a %s of 20 MB in JSON (%s) is 413 image_too_large', large, async (path, name, head) => {
  const { post } = await listening()
  const image = head + Buffer.from(tooLarge).toString('base64')

  const { status, error } = await post(path, { image1: photoBase64, [name]: image })

  expect([status, error?.code]).toEqual([413, 'image_too_large'])
})

it('an image under 20 MB is taken, as a file and as base64', large, async () => {
  const { call, post } = await listening()

  const file = await call('POST', '/api/v2/liveness', { body: form({ image: largest }) })
  const text = await post('/api/v2/liveness', { image: Buffer.from(largest).toString('base64') })

  expect([file.status, text.status]).toEqual([200, 200])
})

it('a new account has a credit of 100, and 402 is the answer once it is spent', async () => {
  const { emulator, get, post } = await listening({ wallet: { pricePerCall: 25 } })
  const check = () => post('/api/v2/location', {})
  const statuses: number[] = []

  for (let i = 0; i < 5; i++) statuses.push((await check()).status)

  expect(statuses).toEqual([200, 200, 200, 200, 402])
  expect(emulator.ledger.map(({ balance }) => balance)).toEqual([75, 50, 25, 0])
  expect((await check()).status).toBe(402)
  expect((await get('/api/v2/session')).status).toBe(200)
})

it.each([
  ['/api/v2/id-verification', { front_image: 'AAAA' }],
  ['/api/v2/liveness', { image: 'AAAA' }],
  ['/api/v2/face-match', { image1: 'AAAA', image2: 'AAAA' }],
  ['/api/v2/age-verification', { dob: '2000-01-01', bands: [18] }],
  ['/api/v2/credential-verification', license],
  ['/api/v2/kyc-credential', { ...license, front_image: 'AAAA', selfie: 'AAAA' }],
  ['/api/v2/location', {}],
])('%s is billed for a call, and not for a refused one', async (path, body) => {
  const { emulator, post } = await listening({ wallet: { balance: 1, pricePerCall: 1 } })

  expect((await post(path, body, { 'X-API-Key': 'key_2' })).status).toBe(401)
  expect((await post(path, [])).status).toBe(400)
  expect((await post(path, body)).status).toBe(200)
  expect((await post(path, body)).status).toBe(402)

  expect(emulator.ledger).toHaveLength(1)
})

it('sessions, discovery, sign-in and the organization API cost nothing', async () => {
  const { get, patch, post, raw, session } = await listening({ wallet: { balance: 0, pricePerCall: 1 } })
  const { session_id } = await session()

  expect((await get(`/api/v2/session/${session_id}/decision`)).status).toBe(200)
  expect((await patch(`/api/v2/session/${session_id}/status`, { status: 'DECLINED' })).status).toBe(200)
  expect((await get('/api/v2/credential/states')).status).toBe(200)
  expect((await get('/api/sdk/members')).status).toBe(200)
  expect((await raw('POST', '/api/auth/oidc/token', { json: {} })).status).toBe(401)
  expect((await post('/api/v2/location', {})).status).toBe(402)
})
