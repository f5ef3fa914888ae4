// A complete verification on this machine: the emulator replaces the service, the app is a real Express app, and this
// script acts as the person. Run it with `npm run quickstart`.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  assertPassed,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { createApp } from './express/app.js'
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
const handled = []
server.on(
  'request',
  createApp({
    client,
    webhookSecret: emulator.webhooks.secret,
    workflowId: 'wf_identity',
    publicUrl,
    onEvent: (event) => handled.push(event.type),
  }),
)
log(`express app listens at ${publicUrl}`)

// 1. A customer starts: the app creates a session and redirects to the hosted page.
const start = await fetch(`${publicUrl}/customers/ada/verification`, { method: 'POST', redirect: 'manual' })
const hostedPage = start.headers.get('location')
log(`sessions.create: the app redirects ada to ${new URL(hostedPage).pathname}`)

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

// 4. The authoritative result.
const [session] = await client.sessions.list({ vendor_data: 'ada' })
const decision = await client.sessions.decision(session.session_id)
log(
  `sessions.decision: ${decision.decision} (${decision.checks.map((check) => `${check.type} ${check.status}`).join(', ')})`,
)
const customer = await (await fetch(`${publicUrl}/customers/ada`)).json()
log(`the app has stored for ada: ${customer.outcome}`)

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
  decision.decision === 'APPROVED' &&
  rejected.status === 400 &&
  handled.length === before &&
  claims.svc_org_member_id === member.member_id &&
  replayed.status === 400
if (!asExpected) process.exitCode = 1
