// Tests the app with its production setup: it reads environment variables and uses the global `fetch`, with MSW 2.
import { OidcClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { mswHandlers } from 'identity-service-sdk/msw'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createApp } from './app.ts'

const publicUrl = 'https://club.example.com'
const baseUrl = 'http://127.0.0.1:4010' // nothing listens there

const emulator = createEmulator({
  webhooks: { destinations: [`${publicUrl}/webhooks`] },
  oidc: { redirectUris: [`${publicUrl}/callback`] },
})
const server = setupServer(
  ...mswHandlers(emulator, { baseUrl }),
  // The emulator's webhooks and the browsers' redirects go to the app.
  http.all(`${publicUrl}/*`, ({ request }) => app(request)),
)

const sendMail = vi.fn<(guest: string, outcome: string) => void>()
let app: ReturnType<typeof createApp>

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterAll(() => server.close())

beforeEach(() => {
  vi.stubEnv('SVC_EMULATOR_ONLY', '1') // no client can be created for the real, billed service
  vi.stubEnv('SVC_TRANSPORT', 'fetch') // MSW does not intercept the default transport on Node
  vi.stubEnv('SVC_BASE_URL', baseUrl)
  vi.stubEnv('SVC_API_KEY', emulator.options.verification.apiKey)
  vi.stubEnv('SVC_CLIENT_ID', emulator.options.oidc.clientId)
  vi.stubEnv('SVC_CLIENT_SECRET', emulator.options.oidc.clientSecret)
  emulator.reset()
  sendMail.mockReset()
  app = createApp({
    client: new VerificationClient(),
    oidc: new OidcClient({ redirectUri: `${publicUrl}/callback` }),
    publicUrl,
    webhookSecret: emulator.webhooks.secret,
    cookieSecret: 'a secret of thirty-two characters',
    sendMail,
  })
})

/** Submits the form of a page of the service. @returns the address of the redirect */
async function choose(page: string, choice: string) {
  const body = new URLSearchParams({ choice })
  const { headers } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  return String(headers.get('location'))
}

/** Starts a guest's verification. @returns the address of the hosted page */
async function pageOf(guest: string) {
  const start = await fetch(`${publicUrl}/guests/${guest}/verification`, {
    method: 'POST',
    redirect: 'manual',
  })
  return String(start.headers.get('location'))
}

test('a guest who completes the hosted page returns to the app and is approved', async () => {
  const page = await pageOf('ada')
  expect(page).toMatch(`${baseUrl}/s/`)

  const back = await choose(page, 'approve')
  await emulator.webhooks.settled()

  expect(back).toMatch(`${publicUrl}/guests/ada?session_id=`)
  expect(await (await fetch(back)).json()).toEqual({ guest: 'ada', outcome: 'APPROVED' })
})

test('a guest who is declined gets one mail, even if the webhook is delivered twice', async () => {
  await choose(await pageOf('bo'), 'decline')
  await emulator.webhooks.settled()

  const [delivery] = emulator.webhooks.deliveries
  await emulator.webhooks.resend(String(delivery?.id))

  expect(sendMail.mock.calls).toEqual([['bo', 'DECLINED']])
})

test('a selfie is checked and charged once, although the service is busy and a response is lost', async () => {
  emulator.faults.add({ match: 'checks.liveness', status: 503, headers: { 'retry-after': '0' } })
  emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })

  const selfie = { method: 'POST', body: new Uint8Array(64) }
  const response = await fetch(`${publicUrl}/guests/ada/selfie`, selfie)

  expect(await response.json()).toEqual({ admitted: true })
  expect(emulator.requests).toHaveLength(3)
  expect(emulator.ledger).toHaveLength(1)
})

test('a member signs in through the consent page', async () => {
  const login = await fetch(`${publicUrl}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])

  const callback = await choose(String(login.headers.get('location')), 'approve')
  const home = await fetch(callback, { headers: { cookie } })

  expect(await home.json()).toEqual({ member: expect.any(String) })
})

test('a member who declines on the consent page is not signed in', async () => {
  const login = await fetch(`${publicUrl}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])

  const callback = await choose(String(login.headers.get('location')), 'deny')
  const response = await fetch(callback, { headers: { cookie } })

  expect(response.status).toBe(400)
})
