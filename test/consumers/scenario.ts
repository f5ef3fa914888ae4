// What a backend does with the package, one step after the other. Each kind of project runs this file in its own way,
// so it contains no top-level await, and everything that it imports is public.
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import express from 'express'
import {
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  imageFromFile,
  isSdkError,
  memoryStore,
  NotFoundError,
  NotFoundError as NotFoundErrorOfErrors,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
} from 'identity-service-sdk'
import { createEmulator, type Emulator } from 'identity-service-sdk/emulator'
import { expressWebhook } from 'identity-service-sdk/express'

const secret = 'whsec_0123456789abcdef'
const event = {
  event_id: 'evt_1',
  type: 'verification.approved',
  session_id: 'sess_1',
  status: 'APPROVED',
  vendor_data: 'user-42',
  decision: null,
  occurred_at: new Date().toISOString(),
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

/** Runs work while a server listens on a free port. */
async function listening(listener: Parameters<typeof createServer>[1], work: (url: string) => Promise<void>) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

/** A client of a real server, on the default transport. The server has one session. */
const withService = (work: (client: VerificationClient) => Promise<void>) =>
  listening(
    (req, res) => {
      const found = req.url?.endsWith('/sess_1')
      const data = { session_id: 'sess_1', status: 'NOT_STARTED', features: [], vendor_data: 'Zoë' }
      const error = { code: 'not_found', message: 'no such session' }
      res.statusCode = found ? 200 : 404
      res.setHeader('content-type', 'application/json')
      res.end(JSON.stringify({ success: found, data: found ? data : null, error: found ? null : error }))
    },
    async (baseUrl) => {
      const client = new VerificationClient({ baseUrl, apiKey: 'key_1' })
      await work(client)
      await client.close()
    },
  )

/** A listening emulator, and a client of it on the default transport. */
async function withEmulator(work: (client: VerificationClient, emulator: Emulator, url: string) => Promise<void>) {
  const emulator = createEmulator()
  const server = await emulator.listen()
  const client = new VerificationClient({ baseUrl: server.url, apiKey: emulator.options.verification.apiKey })
  try {
    await work(client, emulator, server.url)
  } finally {
    await client.close()
    await server.close()
  }
}

const steps: Record<string, () => Promise<void>> = {
  call: () =>
    withService(async (client) => {
      const session = await client.sessions.retrieve('sess_1')
      check(session.vendor_data === 'Zoë', 'the session has other fields')
    }),

  'typed error': () =>
    withService(async (client) => {
      const error: unknown = await client.sessions.retrieve('sess_2').catch((thrown: unknown) => thrown)
      if (!(error instanceof NotFoundError)) throw error
      check(error instanceof NotFoundErrorOfErrors && isSdkError(error), 'two copies of the class')
      check(error instanceof Error && error.code === 'not_found', 'the error has another code')
    }),

  emulator: async () => {
    const emulator = createEmulator()
    const client = new VerificationClient(emulator.options.verification)
    const { session_id } = await client.sessions.create({ workflow_id: 'wf_identity' })
    await emulator.sessions.complete(session_id, 'APPROVED')
    const { decision } = await client.sessions.decision(session_id)
    check(decision === 'APPROVED', 'the decision is not APPROVED')
  },

  listen: () =>
    withEmulator(async (client, _, serverUrl) => {
      const { url } = await client.sessions.create({ workflow_id: 'wf_identity' })
      check(url?.startsWith(serverUrl) === true, 'the hosted page is elsewhere')
    }),

  'image file': () =>
    withEmulator(async (client) => {
      const folder = mkdtempSync(join(tmpdir(), 'consumer-'))
      const path = join(folder, 'Zoë.jpg')
      const image = new Uint8Array(200_000).fill(7)
      image.set([0xff, 0xd8, 0xff, 0xe0])
      writeFileSync(path, image)
      const { status } = await client.checks.liveness({ image: imageFromFile(path) })
      rmSync(folder, { recursive: true })
      check(status === 'passed', 'the check did not pass')
    }),

  webhook: async () => {
    const seen: string[] = []
    const handler = createWebhookHandler({
      secret,
      store: memoryStore(),
      on: { 'verification.approved': ({ session_id }) => void seen.push(session_id) },
      onError: () => {},
    })
    const delivery = await signWebhook({ event, secret })
    check((await handler.handle(delivery)).outcome === 'processed', 'the event was not processed')
    check((await handler.handle(delivery)).outcome === 'duplicate', 'the event was processed twice')
    const forged = await signWebhook({ event, secret: 'whsec_another_0123456789' })
    check((await handler.handle(forged)).status === 400, 'a forged event was accepted')
    check(seen.join() === 'sess_1', 'the callback did not run once')
  },

  express: async () => {
    const seen: string[] = []
    const app = express()
    app.post(
      '/webhooks',
      expressWebhook({
        secret,
        on: { 'verification.approved': (received) => void seen.push(received.session_id) },
      }),
    )
    await listening(app, async (url) => {
      const { headers, body } = await signWebhook({ event, secret })
      const { status } = await fetch(`${url}/webhooks`, { method: 'POST', headers: { ...headers }, body })
      check(status === 200 && seen.join() === 'sess_1', `the response was ${status}`)
    })
  },

  'sign-in': () =>
    withEmulator(async (_, emulator, url) => {
      const oidc = new OidcClient({ ...emulator.options.oidc, fetch: undefined })
      const login = await oidc.createAuthorization({ scope: ['profile'] })
      const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
      await oidc.close()
      check(tokens.claims.iss === url, 'another issuer')
    }),

  'encrypted tokens': async () => {
    const emulator = createEmulator()
    const oidc = new OidcClient(emulator.options.oidc)
    const login = await oidc.createAuthorization()
    const tokens = await oidc.handleCallback(emulator.signIn.approve(login.url), login)
    const store = memoryStore()
    const manager = createTokenManager({ oidc, store, encryptionKey: new Uint8Array(32).fill(7) })
    await manager.save('user-42', tokens)
    check((await manager.getAccessToken('user-42')) === tokens.access_token, 'another access token')
    for await (const key of store.scan(''))
      check(!(await store.get(key))?.includes(tokens.access_token), 'a token is stored as plain text')
  },

  manager: async () => {
    const emulator = createEmulator()
    const client = new VerificationClient(emulator.options.verification)
    const store = memoryStore()
    const verifications = createVerificationManager({
      client,
      store,
      session: { workflow_id: 'wf_identity' },
    })
    const started = await verifications.start('user-42')
    check(started.state === 'open', `the state is ${started.state}`)
    if (started.state === 'open') await emulator.sessions.complete(started.sessionId, 'APPROVED')
    await verifications.refresh('user-42')
    await verifications.ensureApproved('user-42')
  },

  roster: async () => {
    const emulator = createEmulator()
    const org = new OrgClient(emulator.options.org)
    const { created } = await org.members.addAll([{ email: 'zoë@example.test' }, { email: 'bo@example.test' }])
    check(created === 2, `${created} members were added`)
    check((await org.members.list()).members.length >= 2, 'the roster is empty')
  },
}

/** Runs every step, and writes the result of each into the file that `CONSUMER_REPORT` names. */
export async function runScenario(): Promise<void> {
  const results: Record<string, string> = {}
  for (const [name, step] of Object.entries(steps)) {
    try {
      await step()
      results[name] = 'ok'
    } catch (thrown) {
      results[name] = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)
    }
  }
  writeFileSync(process.env.CONSUMER_REPORT ?? '', JSON.stringify(results))
}
