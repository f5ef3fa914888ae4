import { expect, it, onTestFinished, vi } from 'vitest'
import {
  ApiError,
  ConfigurationError,
  ConnectionError,
  InvalidResponseError,
  type JwksOptions,
  OidcClient,
  TimeoutError,
  TokenValidationError,
} from '../../../src/index.ts'
import { timing } from '../../../src/runtime/timing.ts'
import {
  loopbackServer,
  type Responder,
  reset,
  respondWith,
  trickleWith,
  unusedUrl,
} from '../../support/loopback-server.ts'
import { thrownBy } from '../../support/thrown-by.ts'
import { manualClock } from '../../support/timing.ts'
import { clientId, idToken, issuer, json, key, redirectUri, type Step } from '../issuer.ts'

it.each<[what: string, step: Step, cause: typeof Error]>([
  ['503', json({ success: false, error: { code: 'server_error', message: 'down' } }, 503), ApiError as never],
  ['404', json({}, 404), ApiError as never],
  ['an HTML page', () => new Response('<html>hello</html>'), InvalidResponseError as never],
  ['truncated JSON', () => new Response('{"keys":['), InvalidResponseError as never],
  ['an empty body', () => new Response(''), InvalidResponseError as never],
  ['no keys', json({ kids: [] }), InvalidResponseError as never],
  ['keys that are not an array', json({ keys: { 0: key.jwk } }), InvalidResponseError as never],
  ['an array', json([key.jwk]), InvalidResponseError as never],
  ['an error with status 200', json({ success: false, error: { code: 'x', message: '' } }), ApiError as never],
])('rejects a token with keys_unavailable if the endpoint returns %s', async (_, step, cause) => {
  const { client, jwks } = issuer()
  jwks.respondWith(step)

  const error = await thrownBy(client().validateIdToken(idToken()))

  expect(error).toBeInstanceOf(TokenValidationError)
  expect(error).toMatchObject({
    reason: 'keys_unavailable',
    message: "oidc.validateIdToken: the issuer's keys could not be fetched: see cause, then try again",
  })
  expect((error as Error).cause).toBeInstanceOf(cause)
  expect(jwks.requests).toHaveLength(1)
})

const huge: Responder = (response) => {
  const entry = `${JSON.stringify(key.jwk)},`
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`{"keys":[${entry.repeat(Math.ceil((512 * 1024) / entry.length))}${JSON.stringify(key.jwk)}]}`)
}

it.each<[what: string, reply: Responder, cause: typeof Error]>([
  ['resets the connection', reset, ConnectionError as never],
  ['returns more than 512 KiB', huge, InvalidResponseError as never],
  ['redirects', respondWith(302, '', { location: 'https://evil.example/keys' }), ApiError as never],
])('rejects a token with keys_unavailable if the endpoint %s', async (_, reply, cause) => {
  const { url, requests } = await loopbackServer(reply)
  const oidc = new OidcClient({ baseUrl: url, clientId, clientSecret: 'secret', redirectUri })
  onTestFinished(() => oidc.close())

  const error: unknown = await oidc.validateIdToken(idToken()).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ reason: 'keys_unavailable' })
  expect((error as Error).cause).toBeInstanceOf(cause)
  expect(requests).toHaveLength(1)
})

it.each<[what: string, reply: (pass: () => void) => Responder]>([
  ['does not respond', (pass) => pass],
  ['sends its response too slowly', trickleWith],
])('rejects a token with keys_unavailable if the endpoint %s', async (_, reply) => {
  const clock = manualClock()
  const { url, requests } = await loopbackServer(reply(() => void clock.advance(5_000)))
  const options = { baseUrl: url, clientId, clientSecret: 'secret', redirectUri, [timing]: clock.timing }
  const oidc = new OidcClient(options)
  onTestFinished(() => oidc.close())

  const error: unknown = await oidc.validateIdToken(idToken()).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ reason: 'keys_unavailable' })
  expect((error as Error).cause).toBeInstanceOf(TimeoutError)
  expect(requests).toHaveLength(1)
})

it('rejects a token with keys_unavailable if the connection is refused', async () => {
  const oidc = new OidcClient({ baseUrl: unusedUrl, clientId, clientSecret: 'secret' })

  const error: unknown = await oidc.validateIdToken(idToken()).catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ reason: 'keys_unavailable', cause: { code: 'connection_failed' } })
})

it.each<[wait: number, jwks: JwksOptions | undefined]>([
  [5_000, undefined],
  [700, { timeoutMs: 700 }],
])('waits %i ms for the endpoint, independent of timeoutMs of the client', async (limitMs, jwks) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const service = issuer()
  service.jwks.respondWith(() => new Promise<Response>(() => {}))

  const error = thrownBy(service.client({ timeoutMs: 60_000, jwks }).validateIdToken(idToken()))
  await vi.advanceTimersByTimeAsync(limitMs)

  expect(await error).toMatchObject({ reason: 'keys_unavailable', cause: { code: 'timeout', limitMs } })
})

it.each<JwksOptions>([
  { cacheMs: -1 },
  { cacheMs: 1.5 },
  { maxStaleMs: Number.NaN },
  { maxStaleMs: Number.POSITIVE_INFINITY },
  { timeoutMs: 0 },
  { timeoutMs: 2 ** 31 },
])('rejects the option jwks %o', (jwks) => {
  expect(() => issuer().client({ jwks })).toThrow(ConfigurationError)
  expect(() => issuer().client({ jwks })).toThrow(
    new RegExp(`^OidcClient: jwks\\.${Object.keys(jwks)[0]} must be .*milliseconds`),
  )
})
