import { Readable } from 'node:stream'
import { type ClientOptions, OidcClient, VerificationClient } from '../../src/index.ts'
import { timing } from '../../src/runtime/timing.ts'
import { aSession, images, livenessCheck, standalone } from '../support/fixtures.ts'
import { testTiming } from '../support/timing.ts'
import type { Transport } from '../support/transports.ts'

/** One call for each rule of replay, and the upload that can be read only once. */
interface CallKind {
  readonly call: string
  /** Whether it is sent again after a connection broke, when the service may have executed it. */
  readonly isRepeatable: boolean
  /** Whether it can be sent again at all. */
  readonly isOneShot?: boolean
  /** True if the call is charged: it has an idempotency key, and its outcome can be unknown. */
  readonly isBillable: boolean
  readonly send: (clients: Clients, options?: { readonly timeoutMs?: number }) => PromiseLike<unknown>
  /** The whole body of a successful response. */
  readonly success: object
}

const enveloped = (data: unknown) => ({ success: true, data, error: null })
const bytes = new Uint8Array(Buffer.concat([images.png, Buffer.alloc(16 * 1024, 7)]))
const live = enveloped(standalone(livenessCheck()))

export const callKinds: readonly CallKind[] = [
  {
    call: 'a read',
    isRepeatable: true,
    isBillable: false,
    send: ({ verification }, options) => verification.sessions.retrieve('sess_1', options),
    success: enveloped(aSession()),
  },
  {
    call: 'a billable check with an image',
    isRepeatable: true,
    isBillable: true,
    send: ({ verification }, options) => verification.checks.liveness({ image: bytes }, options),
    success: live,
  },
  {
    call: 'a billable check with a stream',
    isRepeatable: false,
    isOneShot: true,
    isBillable: true,
    send: ({ verification }, options) => verification.checks.liveness({ image: Readable.from([bytes]) }, options),
    success: live,
  },
  {
    call: 'the creation of a session',
    isRepeatable: false,
    isBillable: false,
    send: ({ verification }, options) =>
      verification.sessions.create({ workflow_id: 'wf_1', metadata: { plan: 'x'.repeat(100) } }, options),
    success: enveloped(aSession()),
  },
  {
    call: 'the refresh of tokens',
    isRepeatable: false,
    isBillable: false,
    send: ({ oidc }, options) => oidc.refresh('refresh_1', {}, options),
    success: { access_token: 'access_2', refresh_token: 'refresh_2', token_type: 'Bearer', expires_in: 900 },
  },
]

type Clients = ReturnType<typeof clientsOver>

/** The clients over one transport, on one manual clock. */
export function clientsOver(transport: Transport, baseUrl: string, options: ClientOptions = {}) {
  const { timing: clock, waits, advance } = testTiming()
  const shared: object = { baseUrl, ...transport.options, ...options, [timing]: clock }
  const verification = new VerificationClient({ ...shared, apiKey: 'key_test' })
  const oidc = new OidcClient({ ...shared, clientId: 'client_1', clientSecret: 'secret_1' })
  return {
    verification,
    oidc,
    waits,
    advance,
    close: async () => {
      await Promise.all([verification.close(), oidc.close()])
    },
  }
}
