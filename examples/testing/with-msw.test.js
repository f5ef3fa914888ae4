// For an app that is tested as it runs: it reads its environment and uses the global `fetch`, which MSW intercepts.
import { OidcClient, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { mswHandlers } from 'identity-service-sdk/msw'
import { http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { createApp } from './app.js'

const publicUrl = 'https://club.example.com'
const baseUrl = 'https://id.example.com'

const emulator = createEmulator({
  webhooks: { destinations: [`${publicUrl}/webhooks`] },
  oidc: { redirectUris: [`${publicUrl}/callback`] },
})
const server = setupServer(
  ...mswHandlers(emulator, { baseUrl }),
  // Where the emulator sends its webhooks, and browsers come back to.
  http.all(`${publicUrl}/*`, ({ request }) => app(request)),
)

const sendMail = vi.fn()
/** @type {(request: Request) => Promise<Response>} */
let app

beforeAll(() => server.listen({ onUnhandledRequest: 'error' })) // MSW 3: onUnhandledFrame
afterAll(() => server.close())

beforeEach(() => {
  vi.stubEnv('SVC_TRANSPORT', 'fetch') // the default transport on Node is one that MSW does not see
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

/** What a browser does with a form of the service's pages. @returns where it is sent */
async function choose(/** @type {string} */ page, /** @type {string} */ choice) {
  const body = new URLSearchParams({ choice })
  const { headers } = await fetch(page, { method: 'POST', body, redirect: 'manual' })
  return String(headers.get('location'))
}

/** A guest is sent to the hosted page. @returns its address */
async function pageOf(/** @type {string} */ guest) {
  const start = await fetch(`${publicUrl}/guests/${guest}/verification`, {
    method: 'POST',
    redirect: 'manual',
  })
  return String(start.headers.get('location'))
}

test('a guest walks through the hosted page, comes back, and is approved', async () => {
  const page = await pageOf('ada')
  expect(page).toMatch('https://id.example.com/s/')

  const back = await choose(page, 'approve')
  await emulator.webhooks.settled()

  expect(back).toMatch(`${publicUrl}/guests/ada?session_id=`)
  expect(await (await fetch(back)).json()).toEqual({ guest: 'ada', news: 'APPROVED' })
})

test('a guest who is declined hears of it once, however often the webhook comes', async () => {
  await choose(await pageOf('bo'), 'decline')
  await emulator.webhooks.settled()

  const [delivery] = emulator.webhooks.deliveries
  await emulator.webhooks.resend(String(delivery?.id))

  expect(sendMail.mock.calls).toEqual([['bo', 'DECLINED']])
})

test('a busy service and a lost answer cost a guest nothing but time', async () => {
  emulator.faults.add({ match: 'checks.liveness', status: 503, headers: { 'retry-after': '0' } })
  emulator.faults.add({ match: 'checks.liveness', reset: true, when: 'after' })

  const selfie = { method: 'POST', body: new Uint8Array(64) }
  const response = await fetch(`${publicUrl}/guests/ada/selfie`, selfie)

  expect(await response.json()).toEqual({ admitted: true })
  expect(emulator.requests).toHaveLength(3)
  expect(emulator.ledger).toHaveLength(1)
})

test('a member signs in by the consent page', async () => {
  const login = await fetch(`${publicUrl}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])

  const callback = await choose(String(login.headers.get('location')), 'approve')
  const home = await fetch(callback, { headers: { cookie } })

  expect(await home.json()).toEqual({ member: expect.any(String) })
})

test('a member who declines at the consent page is not signed in', async () => {
  const login = await fetch(`${publicUrl}/login`, { redirect: 'manual' })
  const cookie = String(login.headers.get('set-cookie')?.split(';')[0])

  const callback = await choose(String(login.headers.get('location')), 'deny')
  const refused = await fetch(callback, { headers: { cookie } })

  expect(refused.status).toBe(400)
})
