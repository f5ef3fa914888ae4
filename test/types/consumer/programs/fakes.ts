// Fakes of a user's tests: object literals of async functions, without casts.
import {
  type AgeParams,
  type ApiPromise,
  type Checks,
  createEventProcessor,
  createSignInHandler,
  createTokenManager,
  createVerificationManager,
  createWebhookHandler,
  type Decision,
  type Members,
  memoryStore,
  type OrgClient,
  type Session,
  type SignedInTokens,
  type Store,
  type VerificationClient,
  type VerificationManager,
} from 'identity-service-sdk'

const session: Session = {
  session_id: 'sess_1',
  status: 'IN_PROGRESS',
  url: 'https://id.example.com/sess_1',
  session_token: 'token',
  features: ['liveness'],
  expires_at: '2026-01-01T00:00:00Z',
}
const decision: Decision = { status: 'APPROVED', decision: 'APPROVED', checks: [] }

// A manager takes a fake of the sessions.
export const manager = createVerificationManager({
  client: {
    sessions: {
      create: async () => session,
      list: async () => [session],
      retrieve: async () => session,
      decision: async () => decision,
      updateStatus: async () => session,
    },
  },
  store: memoryStore(),
  session: { workflow_id: 'wf_1' },
})

// A handler and a processor take a fake of the manager.
const fakeManager: Pick<VerificationManager, 'handle'> = { handle: async () => null }
export const handler = createWebhookHandler({ secret: 'secret', consumers: [fakeManager, manager] })
export const processor = createEventProcessor({ consumers: [{ handle: async () => undefined }] })

// The token manager and the sign-in take a fake of the client.
const tokens: SignedInTokens = {
  access_token: 'access',
  token_type: 'Bearer',
  expires_in: 300,
  expiresAtSeconds: 1_800_000_000,
  refresh_token: 'refresh',
  scope: 'openid',
  id_token: 'id',
  claims: { iss: 'https://id.example.com', sub: 'sub_1', aud: 'app', exp: 1, iat: 0 },
}
const oidc = {
  refresh: async () => tokens,
  createAuthorization: async () => ({
    url: 'https://id.example.com/authorize',
    state: 's',
    nonce: 'n',
    codeVerifier: 'v',
    redirectUri: 'https://app.example.com/callback',
  }),
  handleCallback: async () => tokens,
}
export const tokenManager = createTokenManager({ oidc, store: memoryStore() })
export const signIn = createSignInHandler({ oidc, store: memoryStore(), onSignIn: () => undefined })

// A store is a literal too.
const store: Store = {
  get: async () => null,
  set: async () => true,
  compareAndSet: async () => true,
  take: async () => null,
  delete: async () => true,
  compareAndDelete: async () => true,
}
export const withStore = createTokenManager({ oidc, store })

// The user's own functions name what they await.
interface Ages {
  age(params: AgeParams): PromiseLike<{ readonly status: string }>
}
export const isAdult = async (checks: Ages, dob: string) => (await checks.age({ dob, bands: [18] })).status
export const real = (client: VerificationClient) => isAdult(client.checks, '1990-01-01')
export const faked = isAdult({ age: async () => ({ status: 'passed' }) }, '1990-01-01')

export const parts = (client: VerificationClient, org: OrgClient): [Checks, Members, ApiPromise<unknown>] => [
  client.checks,
  org.members,
  client.sessions.list(),
]
