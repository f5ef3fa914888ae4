// A complete verification on this machine: the emulator replaces the service, the app is a real Express app, and this
// script acts as the person. Run it with `npm run quickstart`.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import {
  type AddedMember,
  assertPassed,
  CallbackError,
  createVerificationManager,
  type IdTokenClaims,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
  WebhookVerificationError,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { expressWebhook } from 'identity-service-sdk/express'
import { createApp as createSignInApp } from './sign-in/app.ts'

const startedAt = performance.now()
const chapter = (title: string) => console.log(`\n${title}`)
const log = (line: string) => console.log(`  ${line}`)

const emulator = createEmulator()
const service = await emulator.listen()

const client = new VerificationClient({ baseUrl: service.url, apiKey: emulator.options.verification.apiKey })

/** Binds a server first, because an app needs its own address when it is created. */
async function bind() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return { server, url: `http://127.0.0.1:${address.port}` }
}

/** Returns the address that a response redirects to. */
function redirectOf({ status, headers }: Response): string {
  const location = headers.get('location')
  if (location === null) throw new Error(`Expected a redirect, and received the status ${status}`)
  return location
}

const { server, url: publicUrl } = await bind()
const changes: string[] = []
const verifications = createVerificationManager({
  client,
  store: memoryStore(),
  session: {
    workflow_id: 'wf_identity',
    redirect_url: `${publicUrl}/account`,
    callback: `${publicUrl}/webhooks`,
  },
  onChange: ({ from, to }) => changes.push(`${from} -> ${to}`),
})
const handled: string[] = []
const rejections: string[] = []
const app = express()
app.post('/verification', async (_req, res) => {
  const { state, url } = await verifications.start('ada')
  res.redirect(303, state === 'open' ? url : '/account')
})
app.get('/account', async (_req, res) => {
  const { state } = await verifications.refresh('ada')
  res.send(`your verification: ${state}`)
})
app.post(
  '/webhooks',
  expressWebhook({
    secret: emulator.webhooks.secret,
    consumers: [verifications, { handle: (event) => handled.push(event.type) }],
    onError: (error) => {
      if (error instanceof WebhookVerificationError) rejections.push(error.reason)
    },
  }),
)
server.on('request', app)
console.log(`The emulator listens at ${service.url}. It replaces the service, and verifies no one.`)
console.log(`The Express app listens at ${publicUrl}.`)

chapter('Verify Ada')

// A person starts: the manager creates a session, and the app redirects to the hosted page.
const start = () => fetch(`${publicUrl}/verification`, { method: 'POST', redirect: 'manual' })
const hostedPage = redirectOf(await start())
log(`verifications.start: a session is created, and the app redirects Ada to ${new URL(hostedPage).pathname}`)

// The person opens the page and finishes.
await fetch(hostedPage)
const form = new URLSearchParams({ choice: 'approve' })
const finish = await fetch(hostedPage, { method: 'POST', body: form, redirect: 'manual' })
const back = redirectOf(finish)
log(`Ada passes the checks of the hosted page, and is redirected to ${new URL(back).pathname}`)
log(`The app responds "${await (await fetch(back)).text()}"`)

// The signed webhook arrives in the Express handler.
await emulator.webhooks.settled()
const [delivery] = emulator.webhooks.deliveries
if (!delivery) throw new Error('No webhook was sent')
log(`The webhook ${handled.join(', ')} is verified and handled`)
log(`onChange: ${changes.join(', then ')}`)

// From now on, protected pages open, and another start creates no session.
const { state, checks } = await verifications.ensureApproved('ada')
log(`verifications.ensureApproved: ${checks.map(({ type, status }) => `${type} ${status}`).join(', ')}`)
const nextPage = redirectOf(await start())
log(`verifications.start again: no session is created, and the app redirects Ada to ${nextPage}`)

chapter('Run two standalone checks')

// All attempts of a check share one idempotency key.
const age = await client.checks.age({ dob: '1990-05-17', bands: [18, '21+'] })
log(`checks.age: ${age.status}, for the bands ${Object.keys(age.check.data.bands ?? {}).join(' and ')}`)
const onePixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const id = await client.checks.idVerification({ front_image: Buffer.from(onePixel, 'base64') })
assertPassed(id)
log(`checks.idVerification: ${id.status}, issued by ${id.check.data.fields?.country}`)
log(`The emulator charged ${emulator.ledger.map((entry) => entry.operation).join(' and ')}, once each`)

chapter('Receive a forged webhook and a duplicate')

// A forged webhook is rejected, and a duplicate does not run the callback again.
const forged = await signWebhook({ event: { ...delivery.event, vendor_data: 'mallory' }, secret: 'guessed' })
const rejected = await fetch(`${publicUrl}/webhooks`, {
  method: 'POST',
  headers: forged.headers,
  body: forged.body,
})
log(`A webhook that is signed with a guessed secret is rejected: ${rejected.status}, ${rejections.join()}`)
const before = handled.length
await emulator.webhooks.resend(delivery.id)
log(`A webhook that arrives again runs ${handled.length === before ? 'no callback' : 'a callback'}`)

chapter('Manage the roster')

// The roster: add people, activate one of them, resend the other invites, remove one.
const { org: orgOptions, oidc: oidcOptions } = emulator.options
const org = new OrgClient({ ...orgOptions, baseUrl: service.url, fetch: undefined })
const people = ['alex@example.com', 'bo@example.com', 'cy@example.com'].map((email) => ({ email }))
const added: AddedMember[] = []
for await (const batch of org.members.addAll(people, { notify: false })) added.push(...batch.created)
log(`org.members.addAll: ${added.length} people added, each with an activation link`)
const [alex] = added
if (!alex?.activation_link) throw new Error('The activation link is missing')
emulator.members.activate(alex.activation_link)
const { member } = await org.members.resolve({ email: 'alex@example.com' })
if (!member) throw new Error('alex@example.com is not on the roster')
log(`org.members.resolve: ${member.email} used the link, and is ${member.member_id}, ${member.status}`)
const { members } = await org.members.list()
const { invited } = await org.members.inviteAll(members.filter(({ status }) => status === 'link_sent'))
log(`org.members.inviteAll: ${invited} invites resent`)
const removed = await org.members.remove('cy@example.com', { permanent: true })
log(`org.members.remove: ${removed.removed ? 'removed cy@example.com' : 'nothing was removed'}`)
const bill = await org.billing.retrieve()
log(`org.billing.retrieve: ${bill.seats} seat, next charge ${bill.estimated_next_charge} ${bill.currency}`)

chapter('Sign a person in')

// The script acts as their browser: it follows redirects and keeps cookies.
const { server: signInServer, url: signInUrl } = await bind()
const oidc = new OidcClient({
  ...oidcOptions,
  baseUrl: service.url,
  fetch: undefined,
  redirectUri: `${signInUrl}/callback`,
})
const cookieSecret = 'only for the quickstart, 32 characters'
const tokenKey = randomBytes(32)
const hints: (string | undefined)[] = []
const signInApp = createSignInApp({
  oidc,
  store: memoryStore(),
  cookieSecret,
  tokenKey,
  onError: (error) => {
    if (error instanceof CallbackError) hints.push(error.hint)
  },
})
signInServer.on('request', signInApp)

const cookies: string[] = []
async function browse(address: string, init?: RequestInit) {
  const headers = { cookie: cookies.join('; ') }
  const response = await fetch(address, { ...init, headers, redirect: 'manual' })
  for (const cookie of response.headers.getSetCookie()) cookies.push(cookie.replace(/;.*/, ''))
  const location = response.headers.get('location')
  return { response, next: location === null ? address : new URL(location, address).href }
}

const { next: consentPage } = await browse(`${signInUrl}/login`)
log(`oidc.createAuthorization: the browser is redirected to ${new URL(consentPage).pathname}`)
const consent = new URLSearchParams({ choice: 'approve' })
const { next: callback } = await browse(consentPage, { method: 'POST', body: consent })
const { next: home } = await browse(callback)
const { response: me } = await browse(home)
const claims: IdTokenClaims = JSON.parse(await me.text())
log(`oidc.handleCallback: the id_token is valid, sub ${claims.sub}, member ${claims.svc_org_member_id}`)
const { response: replayed } = await browse(callback)
log(`The same callback again is rejected: ${replayed.status}. ${hints.join()}`)

server.close()
signInServer.close()
await Promise.all([client.close(), org.close(), oidc.close()])
await service.close()

const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(`\nDone in ${seconds} seconds. docs/getting-started.md builds the app of the first part.`)

const asExpected =
  state === 'approved' &&
  rejected.status === 400 &&
  handled.length === before &&
  claims.svc_org_member_id === member.member_id &&
  replayed.status === 400
if (!asExpected) process.exitCode = 1
