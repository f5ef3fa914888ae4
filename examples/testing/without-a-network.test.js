// No network, no port, no mock: the clients' `fetch` is the emulator, and its webhooks are handed to the app.
import { OidcClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { beforeEach, expect, test, vi } from 'vitest'
import { createApp } from './app.js'

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

const sendMail = vi.fn()
/** @type {(request: Request) => Promise<Response>} */
let app

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

/** @type {(path: string, init?: RequestInit) => Promise<Response>} */
const visit = (path, init) => app(new Request(publicUrl + path, init))

const selfie = { method: 'POST', body: new Uint8Array(64) }

/** A guest begins a verification. @returns its session */
async function aSessionOf(/** @type {string} */ guest) {
  await visit(`/guests/${guest}/verification`, { method: 'POST' })
  const [session] = await client.sessions.list({ vendor_data: guest })
  if (!session) throw new Error('the app created no session')
  return session.session_id
}

/** What the app shows of a guest. */
const pageOf = async (/** @type {string} */ guest) => (await visit(`/guests/${guest}`)).json()

test('a guest who completes the verification is approved', async () => {
  const session = await aSessionOf('ada')
  expect(await pageOf('ada')).toEqual({ guest: 'ada', news: 'none yet' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(await pageOf('ada')).toEqual({ guest: 'ada', news: 'APPROVED' })
})

test('a guest whose face is not the one on the document is declined', async () => {
  const session = await aSessionOf('bo')

  await emulator.sessions.complete(session, 'DECLINED', { checks: { face_match: 'failed' } })

  expect(await pageOf('bo')).toEqual({ guest: 'bo', news: 'DECLINED' })
})

test('a webhook that arrives twice sends one mail', async () => {
  const session = await aSessionOf('ada')
  emulator.webhooks.faults.add({ kind: 'duplicate' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(emulator.webhooks.deliveries[0]?.attempts).toHaveLength(2)
  expect(sendMail.mock.calls).toEqual([['ada', 'APPROVED']])
})

test('a webhook with a forged signature changes nothing', async () => {
  const session = await aSessionOf('mallory')
  emulator.webhooks.faults.add({ kind: 'bad_signature' })

  await emulator.sessions.complete(session, 'APPROVED')

  expect(emulator.webhooks.deliveries[0]?.attempts[0]?.status).toBe(400)
  expect(await pageOf('mallory')).toEqual({ guest: 'mallory', news: 'none yet' })
})

test('a guest who lets the hour pass is asked to start again', async () => {
  await aSessionOf('cy')

  await emulator.clock.advance(3_600_000)

  expect(await pageOf('cy')).toEqual({ guest: 'cy', news: 'start again' })
})

test('a selfie that is a photograph of a photograph is turned away', async () => {
  emulator.checks.script('liveness', 'failed', { times: 1 })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(403)
})

test('a service that is busy is asked again', async () => {
  emulator.faults.add({ match: 'checks.liveness', status: 503, headers: { 'retry-after': '0' } })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(200)
  expect(emulator.requests.map(({ status }) => status)).toEqual([503, 200])
})

test('a check whose answer is lost is charged once', async () => {
  emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })

  const response = await visit('/guests/ada/selfie', selfie)

  expect(response.status).toBe(200)
  expect(emulator.ledger).toHaveLength(1)
})

test('a member signs in, once', async () => {
  const login = await visit('/login')
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])
  const callback = emulator.signIn.approve(String(login.headers.get('location')))

  const home = await app(new Request(callback, { headers: { cookie } }))
  const again = await app(new Request(callback, { headers: { cookie } }))

  expect(await home.json()).toEqual({ member: expect.any(String) })
  expect(again.status).toBe(400)
})
