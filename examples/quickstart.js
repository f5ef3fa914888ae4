// A whole verification on this machine: the emulator stands in for the service, the app is a real Express app,
// and a script plays the person. Run it with `npm run quickstart`.
import { once } from 'node:events'
import { assertPassed, signWebhook, VerificationClient } from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import { createApp } from './express/app.js'

const startedAt = performance.now()
/** @param {string} line */
const tell = (line) =>
  console.log(`${String(Math.round(performance.now() - startedAt)).padStart(6)} ms  ${line}`)

const emulator = createEmulator()
const service = await emulator.listen()
tell(`emulator listens at ${service.url}: nothing is verified here`)

const client = new VerificationClient({ baseUrl: service.url, apiKey: emulator.options.verification.apiKey })

// The app has to know its own address before it exists, so the server is bound first.
const { createServer } = await import('node:http')
const server = createServer().listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const publicUrl = `http://127.0.0.1:${port}`
/** @type {string[]} */
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
tell(`express app listens at ${publicUrl}`)

// 1. A customer wants in: the app creates a session and sends them to the hosted page.
const start = await fetch(`${publicUrl}/customers/ada/verification`, { method: 'POST', redirect: 'manual' })
const hostedPage = String(start.headers.get('location'))
tell(`sessions.create: the app redirects ada to ${new URL(hostedPage).pathname}`)

// 2. The person opens the page and finishes.
await fetch(hostedPage)
const form = new URLSearchParams({ choice: 'approve' })
const finish = await fetch(hostedPage, { method: 'POST', body: form, redirect: 'manual' })
const back = String(finish.headers.get('location'))
tell(`hosted page: ada finishes and is sent back to ${new URL(back).pathname}`)
tell(`app says: ${await (await fetch(back)).text()}`)

// 3. The signed webhook arrives in the Express handler.
await emulator.webhooks.settled()
const [delivery] = emulator.webhooks.deliveries
if (!delivery) throw new Error('no webhook was sent')
tell(`webhook ${handled.join(', ')} verified and handled`)

// 4. The authoritative result.
const [session] = await client.sessions.list({ vendor_data: 'ada' })
if (!session) throw new Error('no session was listed')
const decision = await client.sessions.decision(session.session_id)
tell(
  `sessions.decision: ${decision.decision} (${decision.checks.map((check) => `${check.type} ${check.status}`).join(', ')})`,
)
const customer = /** @type {{ outcome: string }} */ (await (await fetch(`${publicUrl}/customers/ada`)).json())
tell(`the app keeps ada as ${customer.outcome}`)

// 5. Two standalone checks, one with an image. Each is billed once, whatever the network does.
const age = await client.checks.age({ dob: '1990-05-17', bands: [18, '21+'] })
tell(`checks.age: ${age.status}, ${Object.keys(age.check.data.bands ?? {}).join(' and ')} answered`)
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const id = await client.checks.idVerification({ front_image: Buffer.from(onePixel, 'base64') })
assertPassed(id)
tell(`checks.idVerification: ${id.status}, issued by ${id.check.data.fields?.country}`)
tell(`billed: ${emulator.ledger.map((entry) => entry.operation).join(', ')}`)

// 6. A forged webhook is refused, and a repeated one runs nothing twice.
const forged = await signWebhook({ event: { ...delivery.event, vendor_data: 'mallory' }, secret: 'guessed' })
const refused = await fetch(`${publicUrl}/webhooks`, {
  method: 'POST',
  headers: forged.headers,
  body: forged.body,
})
tell(`forged webhook: ${refused.status} ${await refused.text()}`)
const before = handled.length
await emulator.webhooks.resend(delivery.id)
tell(`the same webhook again: answered, and run ${handled.length - before} more times`)

server.close()
await client.close()
await service.close()
tell('done')

const asExpected = decision.decision === 'APPROVED' && refused.status === 400 && handled.length === before
if (!asExpected) process.exitCode = 1
