// A complete verification on this machine: the emulator replaces the service, the app is a real Express app, and this
// script acts as the person. Run it with `npm run quickstart`.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import express from 'express'
import {
  assertPassed,
  createVerificationManager,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { expressWebhook } from 'identity-service-sdk/express'
import { addPeople, resendInvites } from './roster/roster.js'
import { createApp as createSignInApp } from './sign-in/app.js'

const startedAt = performance.now()
const log = (line) =>
  console.log(`${String(Math.round(performance.now() - startedAt)).padStart(6)} ms  ${line}`)

const emulator = createEmulator()
const service = await emulator.listen()
log(`emulator listens at ${service.url}: no one is verified`)

const client = new VerificationClient({ baseUrl: service.url, apiKey: emulator.options.verification.apiKey })

/** Binds a server first, because an app needs its own address when it is created. */
async function bind() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  return { server, url: `http://127.0.0.1:${port}` }
}

const { server, url: publicUrl } = await bind()
const verifications = createVerificationManager({
  client,
  store: memoryStore(),
  session: {
    workflow_id: 'wf_identity',
    redirect_url: `${publicUrl}/account`,
    callback: `${publicUrl}/webhooks`,
  },
  onChange: ({ subject, from, to }) => log(`onChange: ${subject} was ${from}, is ${to}`),
})
const handled = []
const app = express()
app.post('/verification', async (_req, res) => {
  const { url } = await verifications.start('ada')
  res.redirect(303, url ?? '/account')
})
app.get('/account', async (_req, res) => {
  const { state } = await verifications.refresh('ada')
  res.send(`your verification: ${state}`)
})
const logEvent = { handle: (event) => handled.push(event.type) }
const { secret } = emulator.webhooks
app.post('/webhooks', expressWebhook({ secret, consumers: [verifications, logEvent] }))
server.on('request', app)
log(`express app listens at ${publicUrl}`)

// 1. A person starts: the manager creates a session, and the app redirects to the hosted page.
const start = () => fetch(`${publicUrl}/verification`, { method: 'POST', redirect: 'manual' })
const hostedPage = (await start()).headers.get('location')
log(`verifications.start: the app redirects ada to ${new URL(hostedPage).pathname}`)

// 2. The person opens the page and finishes.
await fetch(hostedPage)
const form = new URLSearchParams({ choice: 'approve' })
const finish = await fetch(hostedPage, { method: 'POST', body: form, redirect: 'manual' })
const back = finish.headers.get('location')
log(`hosted page: ada finishes and is redirected to ${new URL(back).pathname}`)
log(`the app responds: ${await (await fetch(back)).text()}`)

// 3. The signed webhook arrives in the Express handler.
await emulator.webhooks.settled()
const [delivery] = emulator.webhooks.deliveries
log(`webhook ${handled.join(', ')} verified and handled`)

// 4. From now on, protected pages open, and another start creates no session.
const { state, checks } = await verifications.ensureApproved('ada')
log(`verifications.ensureApproved: ${checks.map(({ type, status }) => `${type} ${status}`).join(', ')}`)
log(`verifications.start again: the app redirects ada to ${(await start()).headers.get('location')}`)

// 5. Two standalone checks, one with an image. All attempts of a check share one idempotency key.
const age = await client.checks.age({ dob: '1990-05-17', bands: [18, '21+'] })
log(`checks.age: ${age.status}, bands ${Object.keys(age.check.data.bands ?? {}).join(' and ')}`)
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const id = await client.checks.idVerification({ front_image: Buffer.from(onePixel, 'base64') })
assertPassed(id)
log(`checks.idVerification: ${id.status}, issued by ${id.check.data.fields?.country}`)
log(`billed: ${emulator.ledger.map((entry) => entry.operation).join(', ')}`)

// 6. A forged webhook is rejected, and a duplicate does not run the callback again.
const forged = await signWebhook({ event: { ...delivery.event, vendor_data: 'mallory' }, secret: 'guessed' })
const rejected = await fetch(`${publicUrl}/webhooks`, {
  method: 'POST',
  headers: forged.headers,
  body: forged.body,
})
log(`forged webhook: ${rejected.status} ${await rejected.text()}`)
const before = handled.length
await emulator.webhooks.resend(delivery.id)
log(`the same webhook again: callback ran ${handled.length - before} more times`)

// 7. The roster: add people, activate one of them, resend the other invites, remove one.
const { org: orgOptions, oidc: oidcOptions } = emulator.options
const org = new OrgClient({ ...orgOptions, baseUrl: service.url, fetch: undefined })
const people = ['alex@example.com', 'bo@example.com', 'cy@example.com'].map((email) => ({ email }))
const added = []
for await (const { member } of addPeople(org, people, { notify: false })) added.push(member)
log(`org.members.addAll: ${added.length} added, ${added.map(({ status }) => status).join(', ')}`)
emulator.members.activate(added[0].activation_link)
const { member } = await org.members.resolve({ email: 'alex@example.com' })
log(`org.members.resolve: ${member.email} is ${member.member_id}, ${member.status}`)
let resent = 0
for await (const { error } of resendInvites(org)) if (!error) resent++
log(`org.members.inviteAll: ${resent} invites resent`)
const removed = await org.members.remove('cy@example.com', { permanent: true })
log(`org.members.remove: ${removed.removed ? 'removed cy@example.com' : 'nothing was removed'}`)
const bill = await org.billing.retrieve()
log(`org.billing: ${bill.seats} seat, next charge ${bill.estimated_next_charge} ${bill.currency}`)

// 8. A person signs in. The script acts as their browser: it follows redirects and keeps cookies.
const { server: signInServer, url: signInUrl } = await bind()
const oidc = new OidcClient({
  ...oidcOptions,
  baseUrl: service.url,
  fetch: undefined,
  redirectUri: `${signInUrl}/callback`,
})
const cookieSecret = 'only for the quickstart, 32 characters'
const tokenKey = randomBytes(32)
signInServer.on('request', createSignInApp({ oidc, store: memoryStore(), cookieSecret, tokenKey }))

const cookies = []
async function browse(address, init) {
  const headers = { cookie: cookies.join('; ') }
  const response = await fetch(address, { ...init, headers, redirect: 'manual' })
  for (const cookie of response.headers.getSetCookie()) cookies.push(cookie.split(';')[0])
  const location = response.headers.get('location')
  return { response, next: location === null ? address : new URL(location, address).href }
}

const { next: consentPage } = await browse(`${signInUrl}/login`)
log(`oidc.createAuthorization: the browser goes to ${new URL(consentPage).pathname}`)
const consent = new URLSearchParams({ choice: 'approve' })
const { next: callback } = await browse(consentPage, { method: 'POST', body: consent })
const { next: home } = await browse(callback)
const { response: me } = await browse(home)
const claims = await me.json()
log(`oidc.handleCallback: the id_token is valid, sub ${claims.sub}, member ${claims.svc_org_member_id}`)
const { response: replayed } = await browse(callback)
const [reason] = (await replayed.text()).match(/state mismatch/) ?? ['no reason']
log(`the same callback again: ${replayed.status} ${reason}`)

server.close()
signInServer.close()
await Promise.all([client.close(), org.close(), oidc.close()])
await service.close()
log('done')

const asExpected =
  state === 'approved' &&
  rejected.status === 400 &&
  handled.length === before &&
  claims.svc_org_member_id === member.member_id &&
  replayed.status === 400
if (!asExpected) process.exitCode = 1
