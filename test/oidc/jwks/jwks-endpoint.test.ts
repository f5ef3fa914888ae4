import { expect, it, onTestFinished, vi } from 'vitest'
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  OidcClient,
  TimeoutError,
  TokenValidationError,
} from '../../../src/index.ts'
import type { JwksOptions } from '../../../src/oidc.ts'
import {
  answer,
  deadUrl,
  loopbackServer,
  type Reply,
  reset,
  silence,
  trickle,
} from '../../support/loopback-server.ts'
import { clientId, idToken, issuer, json, key, redirectUri, type Step } from '../issuer.ts'

it.each<[what: string, step: Step, cause: typeof Error]>([
  ['503', json({ success: false, error: { code: 'server_error', message: 'down' } }, 503), ApiError as never],
  ['404', json({}, 404), ApiError as never],
  ['a page', () => new Response('<html>hello</html>'), InvalidResponseError as never],
  ['no JSON', () => new Response('{"keys":['), InvalidResponseError as never],
  ['nothing', () => new Response(''), InvalidResponseError as never],
  ['no keys', json({ kids: [] }), InvalidResponseError as never],
  ['keys that are no list', json({ keys: { 0: key.jwk } }), InvalidResponseError as never],
  ['a list', json([key.jwk]), InvalidResponseError as never],
  ['an error in a success', json({ success: false, error: { code: 'x', message: '' } }), ApiError as never],
])('refuses a token as keys_unavailable where the endpoint answers %s', async (_, step, cause) => {
  const { client, jwks } = issuer()
  jwks.answers(step)

  const refusal: unknown = await client()
    .validateIdToken(idToken())
    .catch((thrown: unknown) => thrown)

  expect(refusal).toBeInstanceOf(TokenValidationError)
  expect(refusal).toMatchObject({ reason: 'keys_unavailable' })
  expect((refusal as Error).cause).toBeInstanceOf(cause)
  expect(jwks.requests).toHaveLength(1)
})

const huge: Reply = (response) => {
  const entry = `${JSON.stringify(key.jwk)},`
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"keys":[${entry.repeat(Math.ceil((512 * 1024) / entry.length))}${JSON.stringify(key.jwk)}]}`)
}

// The first use of the transport loads it, which takes longer than the tests below wait.
await Promise.all([import('undici'), import('../../../src/http/transport/undici-transport.ts')])

it.each<[what: string, reply: Reply, cause: typeof Error, timeoutMs?: number]>([
  ['is silent', silence, TimeoutError as never, 100],
  ['trickles', trickle, TimeoutError as never, 100],
  ['resets the connection', reset, ConnectionError as never],
  ['answers more than 512 KiB', huge, InvalidResponseError as never],
  ['redirects', answer(302, '', { location: 'https://evil.example/keys' }), ApiError as never],
])('refuses a token as keys_unavailable where the endpoint %s', async (_, reply, cause, timeoutMs) => {
  const { url, seen } = await loopbackServer(reply)
  const options = { baseUrl: url, clientId, clientSecret: 'secret', redirectUri, jwks: { timeoutMs } }
  const oidc = new OidcClient(options)
  onTestFinished(() => oidc.close())

  const refusal: unknown = await oidc.validateIdToken(idToken()).catch((thrown: unknown) => thrown)

  expect(refusal).toMatchObject({ reason: 'keys_unavailable' })
  expect((refusal as Error).cause).toBeInstanceOf(cause)
  expect(seen).toHaveLength(1)
})

it('refuses a token as keys_unavailable where nobody listens', async () => {
  const oidc = new OidcClient({ baseUrl: await deadUrl(), clientId, clientSecret: 'secret' })

  const refusal: unknown = await oidc.validateIdToken(idToken()).catch((thrown: unknown) => thrown)

  expect(refusal).toMatchObject({ reason: 'keys_unavailable', cause: { code: 'connection_failed' } })
})

it.each<[wait: number, jwks: JwksOptions | undefined]>([
  [5_000, undefined],
  [700, { timeoutMs: 700 }],
])('waits %i ms for the endpoint, whatever the timeout of other calls', async (limitMs, jwks) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const service = issuer()
  service.jwks.answers(() => new Promise<Response>(() => {}))

  const refusal = service
    .client({ timeoutMs: 60_000, jwks })
    .validateIdToken(idToken())
    .catch((thrown: unknown) => thrown)
  await vi.advanceTimersByTimeAsync(limitMs)

  expect(await refusal).toMatchObject({ reason: 'keys_unavailable', cause: { code: 'timeout', limitMs } })
})

it.each<JwksOptions>([
  { cacheMs: -1 },
  { cacheMs: 1.5 },
  { maxStaleMs: Number.NaN },
  { maxStaleMs: Number.POSITIVE_INFINITY },
  { timeoutMs: 0 },
  { timeoutMs: 2 ** 31 },
])('refuses the option jwks %o', (jwks) => {
  expect(() => issuer().client({ jwks })).toThrow(ConfigurationError)
  expect(() => issuer().client({ jwks })).toThrow(
    new RegExp(`^jwks\\.${Object.keys(jwks)[0]} must be .*milliseconds`),
  )
})
