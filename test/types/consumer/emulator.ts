import { OidcClient, OrgClient, VerificationClient } from 'identity-service-sdk'
import {
  createEmulator,
  type Delivery,
  type Emulator,
  EmulatorError,
  type EmulatorOptions,
} from 'identity-service-sdk/emulator'

const options: EmulatorOptions = {
  apiKey: 'key',
  seed: 7,
  clock: () => new Date(0),
  wallet: { balance: 5 },
  workflows: [{ id: 'wf_1', name: 'One', features: ['liveness', 'age'] }],
  outcomes: { liveness: 'review', age: { status: 'failed', data: { age: 17 }, error: 'too young' } },
  webhooks: { secret: 'secret', destinations: ['https://app.example.com/hook'] },
  users: [{ sub: 'user_1', claims: { email_verified: true } }],
  members: [{ email: 'a@example.com', role: 'developer', status: 'active' }],
  org: { name: 'Example', billing: { plan: null, trialEndsAt: new Date(0) } },
  readings: { inviteLimit: 'overall', licenseNotFound: 404 },
  oidc: { redirectUris: ['https://app.example.com/callback'], scopes: ['openid'] },
  onRequest: ({ operation, status }) => console.log(operation, status),
}

// @ts-expect-error: the features of a workflow are required
export const wrong: EmulatorOptions = { workflows: [{ id: 'wf_1', name: 'One' }] }

export const emulator: Emulator = createEmulator(options)
export const clients = {
  verification: new VerificationClient(emulator.options.verification),
  org: new OrgClient(emulator.options.org),
  oidc: new OidcClient(emulator.options.oidc),
}

export async function rehearse(): Promise<readonly Delivery[]> {
  const { session_id } = await clients.verification.sessions.create({ workflow_id: 'wf_1' })
  emulator.faults.add({ match: 'sessions.retrieve', status: 404, code: 'not_found', times: 2 })
  emulator.checks.script('face_match', { score: 0.5, data: { similarity: 0.5 } }, { times: 1 })
  await emulator.sessions.complete(session_id, 'APPROVED', { checks: { liveness: 'passed' } })
  await emulator.clock.advance(60_000)
  const { url, close } = await emulator.listen({ port: 0 })
  const login = await clients.oidc.createAuthorization()
  try {
    await clients.oidc.handleCallback(emulator.signIn.approve(login.url, { user: 'user_1' }), login)
  } catch (error) {
    if (error instanceof EmulatorError) console.log(error.code, url)
  }
  await close()
  return emulator.webhooks.deliveries
}

export const response: Promise<Response> = emulator.fetch(
  new Request('https://id.example.com/api/v2/session'),
)
