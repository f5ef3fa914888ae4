import type { ServerResponse } from 'node:http'
import express, { type Express } from 'express'
import fastifyApp from 'fastify'
import { Hono } from 'hono'
import {
  type CredentialProvider,
  createEventProcessor,
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  type IdTokenClaims,
  loginMarkers,
  memoryStore,
  OidcClient,
  OrgClient,
  signWebhook,
  VerificationClient,
  verifyWebhook,
  type WebhookEvent,
} from 'identity-service-sdk'
import { createEmulator } from 'identity-service-sdk/emulator'
import type { HttpHandler } from 'msw'
import { setupServer } from 'msw/node'
import pg from 'pg'
import { createClient } from 'redis'
import { sampleData } from '../support/sample-data.ts'

/** Base URLs in examples. Requests to both go to the emulator. */
const addresses = ['https://id.example.com', 'https://console.example.com'] as const

/** The names that examples use without declaring them. */
export type World = Awaited<ReturnType<typeof aWorld>>

const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16, 74, 70, 73, 70, 0, 1])
const frame = 'data:image/jpeg;base64,/9j/4AAQSkZJRgAB' as const
const cookieSecret = 'a secret of thirty-two characters'

const emulator = createEmulator({
  seed: 1,
  ...sampleData,
  // An example sends a field of a newer service.
  readings: { unlistedFields: 'ignored' },
  webhooks: { destinations: ['https://app.example.com/webhooks'], deliver: async () => new Response() },
})

const [baseUrl, orgBaseUrl] = addresses
const served = new Map<string, (request: Request) => Promise<Response>>(
  addresses.map((address) => [address, emulator.at(address)]),
)

/** Replaces the global `fetch` while an example runs. */
export async function fetchOfExamples(...call: Parameters<typeof fetch>): Promise<Response> {
  const request = new Request(...call)
  const serve = served.get(new URL(request.url).origin)
  return serve ? serve(request) : Promise.reject(new Error(`an example sent a request to ${request.url}`))
}

/** Resets the emulator to its initial data. Its signing keys stay, because generating keys is slow. */
export async function aWorld() {
  emulator.reset()
  const { verification, oidc: signInOptions, org: orgOptions } = emulator.options
  const first = await new VerificationClient(verification).sessions.create({ workflow_id: 'wf_1' })
  // Docstrings use the id sess_123, which is replaced by the id of this session.
  const fetch = (input: unknown, init?: RequestInit) =>
    fetchOfExamples(String(input).replace('sess_123', first.session_id), init)
  const client = new VerificationClient({ ...verification, baseUrl, fetch })
  const org = new OrgClient({ ...orgOptions, baseUrl: orgBaseUrl, fetch })
  const oidc = new OidcClient({ ...signInOptions, baseUrl, fetch, scope: ['profile'] })

  const secret = emulator.webhooks.secret
  const event = { event_id: 'evt_1', type: 'verification.approved', session_id: first.session_id }
  const delivery = await signWebhook({ event, secret })
  const request = new Request('https://app.example.com/webhooks', { method: 'POST', ...delivery })

  const started = await oidc.createAuthorization()
  const tokens = await oidc.handleCallback(emulator.signIn.approve(started.url), started)
  const login = await oidc.createAuthorization()
  const req = { url: emulator.signIn.approve(login.url) }
  const store = memoryStore()
  const manager = createTokenManager({ oidc, store })
  const user = { id: 'user_42' }
  await manager.save(user.id, tokens)
  const verifications = createVerificationManager({ client, store, session: { workflow_id: 'wf_1' } })
  const { sessionId } = await verifications.start(user.id)
  const markers = loginMarkers({ secret, store })
  const providers = await client.credentials.listProviders('CA')

  const servers: ReturnType<typeof setupServer>[] = []
  const startSession = (_claims: IdTokenClaims, _res?: ServerResponse) => new Response('welcome')
  return {
    emulator,
    client,
    org,
    oidc,
    session: first,
    id: first.session_id,
    selfie: jpeg,
    portrait: jpeg,
    first: frame,
    second: frame,
    third: frame,
    svcUuid: 'face_1',
    providers,
    choice: 'EMU-CA-RN',
    provider: providers.find(({ credential_code }) => credential_code === 'EMU-CA-RN') as CredentialProvider,
    people: [{ email: 'cy@example.com' }, { email: 'di@example.com' }],
    pending: ['bo@example.com'],
    secret,
    request,
    handler: createWebhookHandler({ secret, onTestEvent: () => {} }),
    processor: createEventProcessor({ onTestEvent: () => {} }),
    job: { data: await verifyWebhook({ ...delivery, secret }) },
    unlock: async (_who: unknown) => {},
    baseUrl,
    clientId: signInOptions.clientId,
    clientSecret: signInOptions.clientSecret,
    cookieSecret,
    login,
    req,
    code: new URL(req.url).searchParams.get('code') ?? '',
    tokens,
    idToken: tokens.id_token,
    accessToken: tokens.access_token,
    userInfoPath: '/api/auth/oidc/userinfo',
    refreshToken: tokens.refresh_token ?? '',
    claims: { sub: tokens.claims.sub, iss: tokens.claims.iss },
    nonce: started.nonce,
    store,
    makeStore: () => memoryStore(),
    it: (_title: string, _test: () => unknown) => {},
    holder: 'process 1',
    manager,
    user,
    tokenKey: 'k'.repeat(43),
    verifications,
    event: { ...event, session_id: sessionId, vendor_data: user.id } as WebhookEvent,
    markers,
    marker: await markers.create(),
    startSession,
    signIn: createSignInHandler({
      oidc,
      store,
      cookieSecret,
      onSignIn: (signedIn) => startSession(signedIn.claims),
    }),
    app: express() as Express,
    hono: new Hono(),
    fastify: fastifyApp(),
    pg,
    pool: new pg.Pool(),
    connectionString: 'postgres://127.0.0.1/app',
    createClient,
    url: 'redis://127.0.0.1',
    report: (_error: unknown) => {},
    logger: { warn: (_fields: unknown) => {} },
    limiter: { consume: async (key: string) => ({ consumedPoints: key.length }) },
    error: undefined as unknown,
    setupServer: (...handlers: HttpHandler[]) => {
      const server = setupServer(...handlers)
      servers.push(server)
      // The example is for MSW 3, and this repository installs MSW 2.
      return {
        listen: ({ onUnhandledFrame }: { onUnhandledFrame: 'error' }) =>
          server.listen({ onUnhandledRequest: onUnhandledFrame }),
      }
    },
    /** Closes the servers that examples leave open. */
    end: () => {
      for (const server of servers) server.close()
    },
  }
}
