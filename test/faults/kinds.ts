import { Readable } from 'node:stream'
import { type ClientOptions, OidcClient, OrgClient, VerificationClient } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { aSession, credentialCheck, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { aMember } from '../support/roster-operations.ts'
import { testTiming } from '../support/timing.ts'
import type { Transport } from '../support/transports.ts'
import { canary, filler } from './canaries.ts'

/** The four rules of repeating, and the upload that cannot be read twice. */
export type Replay = 'safe' | 'with-key' | 'if-not-executed' | 'never' | 'one-shot'

/** A kind of call, with what the contract says of it, written out by hand. */
export interface Kind {
  readonly call: string
  readonly replay: Replay
  /** Charged: it carries a key, and its outcome can be unknown. */
  readonly isBillable: boolean
  readonly send: (clients: Clients, options?: Limits) => PromiseLike<unknown>
  /** The whole of a successful answer. */
  readonly success: object
  readonly lastPath: string
}

interface Limits {
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
  access_token: 'access_answered_1',
  refresh_token: 'refresh_answered_1',
  token_type: 'Bearer',
  expires_in: 900,
  scope: 'openid',
}

export const kinds: readonly Kind[] = [
  {
    call: 'a read',
    replay: 'safe',
    isBillable: false,
    send: ({ verification }, options) => verification.sessions.retrieve(canary.id, options),
    success: enveloped(aSession()),
    lastPath: encodeURIComponent(canary.id),
  },
  {
    call: 'a charged check in JSON',
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
    call: 'a charged check with an image',
    replay: 'with-key',
    isBillable: true,
    send: ({ verification }, options) => verification.checks.liveness({ image: bytes }, options),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'a charged check with an image in JSON',
    replay: 'with-key',
    isBillable: true,
    send: ({ verification }, options) =>
      verification.checks.liveness({ image: bytes }, { ...options, encoding: 'json' }),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'a charged check with a stream',
    replay: 'one-shot',
    isBillable: true,
    send: ({ verification }, options) =>
      verification.checks.liveness({ image: Readable.from([bytes]) }, options),
    success: live,
    lastPath: 'liveness',
  },
  {
    call: 'a new session',
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
    call: 'new members',
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
    call: 'an exchange of a code',
    replay: 'never',
    isBillable: false,
    send: ({ oidc }, options) =>
      oidc.exchangeCode({ code: canary.code, codeVerifier: canary.verifier, redirectUri }, options),
    // Without an id_token, which this grant needs: no case lets it succeed.
    success: tokens,
    lastPath: 'token',
  },
  {
    call: 'a refresh',
    replay: 'never',
    isBillable: false,
    send: ({ oidc }, options) => oidc.refresh(canary.refreshToken, options),
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

/** The kinds that can succeed without keys to check tokens with. */
export const kindsThatSucceed = kinds.filter(({ call }) => call !== 'an exchange of a code')

/** One of those that go the same way: for faults that take their time. */
export const kindsWithoutTwins = kinds.filter(
  ({ call }) => call !== 'a charged check with an image in JSON' && call !== 'a read with a bearer token',
)

/** One for each rule of repeating: for what the rule alone decides. */
export const oneOfEach = [...new Map(kinds.map((kind) => [kind.replay, kind])).values()]

type Clients = ReturnType<typeof clientsOver>

/** The three clients over one transport and one clock; waits take no time, and each is noted. */
export function clientsOver(transport: Transport, baseUrl: string, options: ClientOptions = {}) {
  const { timing: clock, waits } = testTiming({})
  const headers = { 'x-gateway': canary.clientHeader }
  const shared = { baseUrl, headers, ...transport.options, ...options, [timing]: clock }
  const client = { clientId: 'client_0123456789', clientSecret: canary.clientSecret }
  const verification = new VerificationClient({ ...shared, apiKey: canary.apiKey })
  const org = new OrgClient({ ...shared, ...client })
  const oidc = new OidcClient({ ...shared, ...client })
  return {
    verification,
    org,
    oidc,
    waits,
    close: async () => {
      await Promise.all([verification.close(), org.close(), oidc.close()])
    },
  }
}
