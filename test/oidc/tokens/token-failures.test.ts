import { expect, it, onTestFinished } from 'vitest'
import { InvalidParamsError, InvalidResponseError, OidcClient } from '../../../src/index.ts'
import { showOnlyOurWords } from '../../support/error-detail.ts'
import { loopbackServer, type Responder, reset, respondWith } from '../../support/loopback-server.ts'
import { exchange, refresh } from '../grants.ts'
import { clientId, clientSecret, issuer, json, redirectUri, type Step, tokens } from '../issuer.ts'

showOnlyOurWords()

const failing = (error: object, status: number): Step => json(error, status)

const shapes: readonly [what: string, over: object][] = [
  ['no access_token', { access_token: undefined }],
  ['an access_token of null', { access_token: null }],
  ['an empty access_token', { access_token: '' }],
  ['an access_token that is an object', { access_token: { token: 'x' } }],
  ['no token_type', { token_type: undefined }],
  ['another token_type', { token_type: 'DPoP' }],
  ['a token_type that only starts with Bearer', { token_type: 'Bearer mac' }],
  ['no expires_in', { expires_in: undefined }],
  ['an expires_in of 0', { expires_in: 0 }],
  ['a negative expires_in', { expires_in: -1 }],
  ['an expires_in that is a string', { expires_in: '900' }],
  ['a refresh_token that is a number', { refresh_token: 7 }],
  ['an id_token that is an object', { id_token: {} }],
  ['a scope that is a list', { scope: ['openid'] }],
]

it.each(shapes.flatMap(([what, over]) => (['strict', 'warn', 'off'] as const).map((mode) => ({ what, over, mode }))))(
  'rejects a response with $what if responseValidation is $mode',
  async ({ over, mode }) => {
    const { client, token } = issuer()
    token.respondWith(json(tokens(over)))
    const oidc = client({ responseValidation: mode })

    for (const send of [exchange, refresh]) await expect(send(oidc)).rejects.toBeInstanceOf(InvalidResponseError)
  },
)

it.each(['bearer', 'Bearer', 'BEARER'])('accepts the token_type %s', async (token_type) => {
  const { client, token } = issuer()
  token.respondWith(json(tokens({ token_type })))

  await expect(exchange(client())).resolves.toMatchObject({ token_type })
})

it.each<[what: string, step: Step, retryable: boolean]>([
  ['a 503', failing({ error: 'unavailable' }, 503), false],
  ['a 500 internal_error', failing({ error: 'internal_error' }, 500), false],
  ['a 408', failing({ error: 'timeout' }, 408), false],
  ['a page with status 429', () => new Response('<html>', { status: 429 }), false],
  ['a 429 of the service', failing({ error: 'rate_limited' }, 429), true],
])('says after %s whether the same code or refresh token can be sent again', async (_, step, retryable) => {
  const { client, token } = issuer()
  token.respondWith(step)

  for (const send of [exchange, refresh]) await expect(send(client())).rejects.toMatchObject({ retryable })
})

const page: Responder = respondWith(200, '<html></html>')

it.each<[what: string, reply: Responder]>([
  ['a 429', respondWith(429, { error: 'rate_limited' }, { 'retry-after': '0' })],
  ['a 500 internal_error', respondWith(500, { error: 'internal_error' })],
  ['a 503', respondWith(503, '')],
  ['a 408', respondWith(408, '')],
  ['a redirect', respondWith(307, '', { location: '/elsewhere' })],
  ['an HTML page', page],
  ['a reset', reset],
])('never retries a code exchange or a refresh after %s', async (_, reply) => {
  const { url, requests: seen } = await loopbackServer(reply)
  const oidc = new OidcClient({ baseUrl: url, clientId, clientSecret, redirectUri, maxRetries: 5 })
  onTestFinished(() => oidc.close())

  await expect(exchange(oidc)).rejects.toThrow()
  await expect(refresh(oidc)).rejects.toThrow()

  expect(seen).toHaveLength(2)
})

it.each<[what: string, send: (oidc: OidcClient) => PromiseLike<unknown>, path: string]>([
  ['no code', (oidc) => oidc.exchangeCode({} as never), 'code'],
  ['an empty code', (oidc) => oidc.exchangeCode({ code: '' }), 'code'],
  ['no params', (oidc) => oidc.exchangeCode(undefined as never), 'code'],
  ['no refresh token', (oidc) => oidc.refresh(undefined as never), 'refresh_token'],
  ['an empty refresh token', (oidc) => oidc.refresh(''), 'refresh_token'],
])('sends nothing if there is %s', async (_, send, path) => {
  const { client, token } = issuer()

  const error: unknown = await Promise.resolve(send(client())).catch((thrown: unknown) => thrown)

  expect(error).toBeInstanceOf(InvalidParamsError)
  expect(error).toMatchObject({ issues: [{ path }] })
  expect(token.requests).toHaveLength(0)
})

it('sends nothing if there is no redirect URI', async () => {
  const { client, token } = issuer()

  const exchanged = exchange(client({ redirectUri: undefined }))

  await expect(exchanged).rejects.toMatchObject({ issues: [{ path: 'redirectUri' }] })
  expect(token.requests).toHaveLength(0)
})
