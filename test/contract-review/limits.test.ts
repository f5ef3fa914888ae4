import { expect } from 'vitest'
import { signWebhook, verifyWebhook } from '../../src/webhooks.ts'
import { holder, nurse } from '../emulator/support/checks.ts'
import { form, photoBase64 } from '../emulator/support/images.ts'
import { emailOf, oneOfEach, rosterOf } from '../emulator/support/roster.ts'
import { inProcess } from '../emulator/support/service.ts'
import { livenessCheck, standalone } from '../support/fixtures.ts'
import { ok } from '../support/scripted-service.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { anEvent, clockAt, secret, signedAt } from '../support/webhook.ts'
import { documentedCalls } from './documented-calls.ts'
import { statement, statements } from './statement.ts'

// Limits: section 8 of the contract. Lifetimes of codes, tokens and login markers are in sign-in and legacy.

const { failed, sent, service, strictClients } = documentedCalls()

const MiB = 1024 * 1024

const people = (count: number) => Array.from({ length: count }, (_, i) => ({ email: `p${i}@example.com` }))

statements(
  '8',
  [
    [0, 400],
    [1, 201],
    [500, 201],
    [501, 400],
  ],
  (count, status) => `adding ${count} members in one call gives ${status}`,
  async (count, status) => {
    expect((await rosterOf(inProcess()).add(people(count))).status).toBe(status)
  },
)

statements(
  '8',
  [[0], [501]],
  (count) => `the client does not send a call that adds ${count} members`,
  async (count) => {
    expect(await thrownBy(strictClients().org.members.add({ members: people(count) }))).toMatchObject({
      code: 'invalid_params',
      issues: [{ path: 'members' }],
    })
  },
)

statements(
  '8',
  [[1], [500]],
  (count) => `the client sends a call that adds ${count} members`,
  async (count) => {
    service.respondTo('POST /api/sdk/members', ok({ created: [], skipped: [], notified: true }))

    const request = await sent(({ org }) => org.members.add({ members: people(count) }))

    expect(JSON.parse(await request.text()).members).toHaveLength(count)
  },
)

statement('8', 'the 11th resent invite in a minute is 429', async () => {
  const { invite } = rosterOf(inProcess({ members: oneOfEach }))
  const statuses: number[] = []

  for (let i = 0; i < 11; i++) statuses.push((await invite(emailOf('invited'))).status)

  expect(statuses).toEqual([...Array(10).fill(200), 429])
})

statement('8', 'an invite is accepted again after a minute', async () => {
  const { emulator, invite } = rosterOf(inProcess({ members: oneOfEach }))
  for (let i = 0; i < 10; i++) await invite(emailOf('invited'))

  await emulator.clock.advance(59_999)
  expect((await invite(emailOf('invited'))).status).toBe(429)
  await emulator.clock.advance(1)

  expect((await invite(emailOf('invited'))).status).toBe(200)
})

statement('8', 'the client sends no image of 20 MiB or more', async () => {
  const image = new Uint8Array(20 * MiB)

  expect(await thrownBy(strictClients().client.checks.liveness({ image }))).toMatchObject({
    code: 'invalid_params',
    message: expect.stringContaining('image'),
  })
})

statement('8', 'the client sends an image that is a byte under 20 MiB', async () => {
  service.respondTo('POST /api/v2/liveness', ok(standalone(livenessCheck())))

  const request = await sent(({ client }) => client.checks.liveness({ image: new Uint8Array(20 * MiB - 1) }))

  expect((await request.arrayBuffer()).byteLength).toBeGreaterThanOrEqual(20 * MiB - 1)
})

statements(
  '8',
  [
    [20 * MiB - 1, 200, undefined],
    [20 * MiB, 413, 'image_too_large'],
  ] as const,
  (bytes, status) => `an image of ${bytes} bytes is ${status}`,
  async (bytes, status, code) => {
    const body = form({ image: new Uint8Array(bytes) })

    const response = await inProcess().call('POST', '/api/v2/liveness', { body })

    expect([response.status, response.error?.code]).toEqual([status, code])
  },
)

statement('8', 'image_too_large is thrown as a PayloadTooLargeError', async () => {
  expect(await failed('checks.liveness', 413, 'image_too_large')).toMatchObject({
    name: 'PayloadTooLargeError',
  })
})

statements(
  '8',
  [
    [1, 400],
    [2, 400],
    [3, 200],
    [8, 200],
    [9, 400],
  ],
  (count, status) => `a live burst of ${count} frames gives ${status}`,
  async (count, status) => {
    const frames = Array(count).fill(photoBase64)

    expect((await inProcess().post('/api/v2/antispoof', { frames })).status).toBe(status)
  },
)

statements(
  '8',
  [[2], [9]],
  (count) => `the client does not send a live burst of ${count} frames`,
  async (count) => {
    const frames = Array(count).fill({ base64: photoBase64 })

    expect(await thrownBy(strictClients().client.experimental.antispoof.check({ frames }))).toMatchObject({
      code: 'invalid_params',
      issues: [{ path: 'frames' }],
    })
  },
)

statements(
  '8',
  [[3], [8]],
  (count) => `the client sends a live burst of ${count} frames`,
  async (count) => {
    service.respondTo('POST /api/v2/antispoof', ok({ human_score: 1 }))
    const frames = Array(count).fill({ base64: photoBase64 })

    const request = await sent(({ client }) => client.experimental.antispoof.check({ frames }))

    expect(JSON.parse(await request.text()).frames).toHaveLength(count)
  },
)

statement('8', 'a webhook receiver rejects a timestamp older than 5 minutes by default', async () => {
  const delivery = await signWebhook({ event: anEvent(), secret, timestamp: signedAt })

  expect(await thrownBy(verifyWebhook({ ...delivery, secret, now: clockAt(signedAt + 301) }))).toMatchObject({
    reason: 'timestamp_out_of_tolerance',
  })
})

statement('8', 'a webhook receiver accepts a timestamp that is 5 minutes old by default', async () => {
  const delivery = await signWebhook({ event: anEvent(), secret, timestamp: signedAt })

  expect(await verifyWebhook({ ...delivery, secret, now: clockAt(signedAt + 300) })).toMatchObject(anEvent())
})

statement('8', 'the lifetime of a session is its ttl_seconds', async () => {
  const { session, emulator } = inProcess()
  const { expires_at } = await session({ ttl_seconds: 123 })

  expect(new Date(expires_at).getTime() - emulator.clock.now().getTime()).toBe(123_000)
})

statement('8', 'a new account has a one-time credit of 100', async () => {
  const { emulator, post } = inProcess()

  await post('/api/v2/location', { latitude: 1, longitude: 2 })

  const [charge] = emulator.ledger
  expect((charge?.balance ?? 0) + (charge?.amount ?? 0)).toBe(100)
})

/** Each billable operation, in the words of the contract: each verification call is charged. */
statements(
  '8',
  [
    ['id-verification', { front_image: photoBase64 }],
    ['liveness', { image: photoBase64 }],
    ['face-match', { image1: photoBase64, image2: photoBase64 }],
    ['age-verification', { dob: '1990-04-12', bands: [18] }],
    ['credential-verification', { ...nurse, full_name: holder }],
    ['kyc-credential', { ...nurse, front_image: photoBase64, selfie: photoBase64 }],
    ['location', { latitude: 1, longitude: 2 }],
  ] as const,
  (path) => `a call of ${path} is charged, and is 402 with an exhausted balance`,
  async (path, body) => {
    const { emulator, post } = inProcess({ wallet: { balance: 1, pricePerCall: 1 } })

    const statuses = [await post(`/api/v2/${path}`, body), await post(`/api/v2/${path}`, body)].map(
      ({ status }) => status,
    )

    expect(statuses).toEqual([200, 402])
    expect(emulator.ledger).toHaveLength(1)
  },
)

statement(
  '8',
  'a public endpoint that is called too often returns 429 rate_limited, as a RateLimitError',
  async () => {
    expect(await failed('sessions.list', 429, 'rate_limited')).toMatchObject({
      name: 'RateLimitError',
      code: 'rate_limited',
      retryable: true,
    })
  },
)
