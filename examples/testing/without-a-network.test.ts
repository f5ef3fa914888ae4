// Without network, port or mocks: the clients' `fetch` is the emulator, and its webhooks are passed to the app.
import { OidcClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { beforeEach, expect, test, vi } from 'vitest'
import { createApp } from './app.ts'

const publicUrl = 'https://club.example.com'

const emulator = createEmulator({
  webhooks: {
    destinations: [`${publicUrl}/webhooks`], // as registered in the developer console
    deliver: async (url, init) => app(new Request(url, init)),
  },
  oidc: { redirectUris: [`${publicUrl}/callback`] },
})
const client = new VerificationClient(emulator.options.verification)
const oidc = new OidcClient({ ...emulator.options.oidc, redirectUri: `${publicUrl}/callback` })

const sendMail = vi.fn<(guest: string, outcome: string) => void>()
let app: ReturnType<typeof createApp>

beforeEach(() => {
  emulator.reset()
  sendMail.mockReset()
  app = createApp({
    client,
    oidc,
    publicUrl,
    webhookSecret: emulator.webhooks.secret,
    cookieSecret: 'a secret of thirty-two characters',
    sendMail,
    now: emulator.clock.now,
  })
})

const visit = (path: string, init?: RequestInit) => app(new Request(publicUrl + path, init))

const selfie = { method: 'POST', body: new Uint8Array(64) }

/** Starts a guest's verification. @returns the id of its session */
async function startVerification(guest: string) {
  await visit(`/guests/${guest}/verification`, { method: 'POST' })
  const [session] = await client.sessions.list({ vendor_data: guest })
  if (!session) throw new Error('the app created no session')
  return session.session_id
}

/** Returns what the app shows for a guest. */
const outcomeOf = async (guest: string) => (await visit(`/guests/${guest}`)).json()

test('a guest who completes the verification is approved', async () => {
  const session = await startVerification('ada')
  expect(await outcomeOf('ada')).toEqual({ guest: 'ada', outcome: 'none yet' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(await outcomeOf('ada')).toEqual({ guest: 'ada', outcome: 'APPROVED' })
})

test('a guest whose face does not match the document is declined', async () => {
  const session = await startVerification('bo')

  await emulator.sessions.complete(session, 'DECLINED', { checks: { face_match: 'failed' } })

  expect(await outcomeOf('bo')).toEqual({ guest: 'bo', outcome: 'DECLINED' })
})

test('a webhook that is delivered twice sends one mail', async () => {
  const session = await startVerification('ada')
  emulator.webhooks.faults.add({ kind: 'duplicate' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(emulator.webhooks.deliveries[0]?.attempts).toHaveLength(2)
  expect(sendMail.mock.calls).toEqual([['ada', 'APPROVED']])
})

test('a webhook with a forged signature changes nothing', async () => {
  const session = await startVerification('mallory')
  emulator.webhooks.faults.add({ kind: 'bad_signature' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(emulator.webhooks.deliveries[0]?.attempts[0]?.status).toBe(400)
  expect(await outcomeOf('mallory')).toEqual({ guest: 'mallory', outcome: 'none yet' })
})

test('a guest whose session expires has to start again', async () => {
  await startVerification('cy')

  await emulator.clock.advance(3_600_000)

  expect(await outcomeOf('cy')).toEqual({ guest: 'cy', outcome: 'start again' })
})

test('a request without a selfie is rejected, and nothing is charged', async () => {
  const { status } = await visit('/guests/ada/selfie', { method: 'POST' })

  expect(status).toBe(400)
  expect(emulator.requests).toEqual([])
})

test('a guest whose selfie is not live is rejected', async () => {
  emulator.checks.script('liveness', 'failed', { times: 1 })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(403)
})

test('a check is retried while the service is busy', async () => {
  emulator.faults.add({ match: 'checks.liveness', status: 503, headers: { 'retry-after': '0' } })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(200)
  expect(emulator.requests.map(({ status }) => status)).toEqual([503, 200])
})

test('a check whose response is lost is charged once', async () => {
  emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

test('a selfie that a guest sends again is charged once', async () => {
  emulator.faults.add({
    match: 'checks.liveness',
    status: 503,
    headers: { 'retry-after': '0' },
    when: 'after',
    times: 3,
  })

  await expect(visit('/guests/ada/selfie', selfie)).rejects.toThrow('503')
  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

test('a sign-in callback works only once', async () => {
  const login = await visit('/login')
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])
  const callback = emulator.signIn.approve(String(login.headers.get('location')))

  const home = await app(new Request(callback, { headers: { cookie } }))
  const again = await app(new Request(callback, { headers: { cookie } }))

  expect(await home.json()).toEqual({ member: expect.any(String) })
  expect(again.status).toBe(400)
})
