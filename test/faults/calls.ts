import { Readable } from 'node:stream'
import { type ClientOptions, OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { aSession, credentialCheck, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { aMember } from '../support/roster-operations.ts'
import { testTiming } from '../support/timing.ts'
import type { Transport } from '../support/transports.ts'
import { canary, filler } from './canaries.ts'

/** The four rules of replay, and the upload that can be read only once. */
export type Replay = 'safe' | 'with-key' | 'if-not-executed' | 'never' | 'one-shot'

/** A kind of call and what the contract says about it, written by hand. */
export interface CallKind {
  readonly call: string
  readonly replay: Replay
  /** True if the call is charged: it has an idempotency key, and its outcome can be unknown. */
  readonly isBillable: boolean
  readonly send: (clients: Clients, options?: CallOptions) => PromiseLike<unknown>
  /** The whole body of a successful response. */
  readonly success: object
  /** The end of its path. */
  readonly lastPath: string
}

interface CallOptions {
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

const enveloped = (data: unknown) => ({ success: true, data, error: null })
const bytes = new Uint8Array(
  Buffer.concat([
    images.png,
    Buffer.from(canary.image),
    Buffer.alloc(16 * 1024, filler),
    Buffer.from(canary.image),
  ]),
)
const redirectUri = 'https://app.example.test/callback'
const live = enveloped(standalone(livenessCheck()))
const tokens = {
  access_token: 'access_of_the_response_1',
  refresh_token: 'refresh_of_the_response_1',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
}

export const callKinds: readonly CallKind[] = [
  {
    call: 'a read',
    replay: 'safe',
    isBillable: false,
    send: ({ verification }, options) => verification.sessions.retrieve(canary.id, options),
    success: enveloped(aSession()),
    lastPath: encodeURIComponent(canary.id),
  },
  {
    call: 'a billable check in JSON',
    replay: 'with-key',
    isBillable: true,
    send: ({ verification }, options) =>
      verification.checks.credential(
        {
          license_state: 'CA',
          license_type: 'RN',
          license_number: canary.document,
          full_name: canary.person,
        },
        options,
      ),
    success: enveloped(standalone(credentialCheck())),
    lastPath: 'credential-verification',
  },
  {
    call: 'a billable check with an image',
    replay: 'with-key',
    isBillable: true,
    send: ({ verification }, options) => verification.checks.liveness({ image: bytes }, options),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'a billable check with an image in JSON',
    replay: 'with-key',
    isBillable: true,
    send: ({ verification }, options) =>
      verification.checks.liveness({ image: bytes }, { ...options, encoding: 'json' }),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'a billable check with a stream',
    replay: 'one-shot',
    isBillable: true,
    send: ({ verification }, options) =>
      verification.checks.liveness({ image: Readable.from([bytes]) }, options),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'the creation of a session',
    replay: 'if-not-executed',
    isBillable: false,
    send: ({ verification }, options) =>
      verification.sessions.create(
        {
          workflow_id: 'wf_1',
          vendor_data: canary.person,
          metadata: { number: canary.document },
          svc_access_token: canary.token,
        },
        options,
      ),
    success: enveloped(aSession()),
    lastPath: 'session',
  },
  {
    call: 'the addition of members',
    replay: 'if-not-executed',
    isBillable: false,
    send: ({ org }, options) =>
      org.members.add({ members: [{ email: canary.email, first_name: canary.person }] }, options),
    success: enveloped({ created: [], skipped: [], notified: false }),
    lastPath: 'members',
  },
  {
    call: 'the removal of a member',
    replay: 'safe',
    isBillable: false,
    send: ({ org }, options) => org.members.remove(canary.email, { permanent: true }, options),
    success: enveloped({ member: aMember(), removed: true }),
    lastPath: `${encodeURIComponent(canary.email)}?permanent=true`,
  },
  {
    call: 'the exchange of a code',
    replay: 'never',
    isBillable: false,
    send: ({ oidc }, options) =>
      oidc.exchangeCode({ code: canary.code, codeVerifier: canary.verifier, redirectUri }, options),
    // No case lets this grant succeed, because it needs a signed id_token.
    success: tokens,
    lastPath: 'token',
  },
  {
    call: 'the refresh of tokens',
    replay: 'never',
    isBillable: false,
    send: ({ oidc }, options) => oidc.refresh(canary.refreshToken, {}, options),
    success: tokens,
    lastPath: 'token',
  },
  {
    call: 'a read with a bearer token',
    replay: 'safe',
    isBillable: false,
    send: ({ oidc }, options) => oidc.legacy.userinfo(canary.token, options),
    success: enveloped({ sub: 'user_1' }),
    lastPath: 'userinfo',
  },
]

/** The calls that can succeed without signed tokens. */
export const callsThatCanSucceed = callKinds.filter(({ call }) => call !== 'the exchange of a code')

/** One call of those that are sent in the same way, for faults that take longer. */
export const distinctCalls = callKinds.filter(
  ({ call }) => call !== 'a billable check with an image in JSON' && call !== 'a read with a bearer token',
)

/** One call for each rule of replay, for cases that only the rule decides. */
export const oneCallPerReplay = [...new Map(callKinds.map((kind) => [kind.replay, kind])).values()]

type Clients = ReturnType<typeof clientsOver>

/** The three clients over one transport, on one manual clock. */
export function clientsOver(transport: Transport, baseUrl: string, options: ClientOptions = {}) {
  const { timing: clock, waits, advance } = testTiming()
  const headers = { 'x-gateway': canary.clientHeader }
  const shared: object = { baseUrl, headers, ...transport.options, ...options, [timing]: clock }
  const client = { clientId: 'client_0123456789', clientSecret: canary.clientSecret }
  const verification = new VerificationClient({ ...shared, apiKey: canary.apiKey })
  const org = new OrgClient({ ...shared, ...client })
  const oidc = new OidcClient({ ...shared, ...client })
  return {
    verification,
    org,
    oidc,
    waits,
    advance,
    close: async () => {
      await Promise.all([verification.close(), org.close(), oidc.close()])
    },
  }
}
