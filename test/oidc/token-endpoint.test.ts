import { inspect } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import {
  AuthenticationError,
  BadRequestError,
  type ClientOptions,
  ConnectionError,
  InvalidParamsError,
  InvalidResponseError,
  isErrorCode,
  OidcClient,
  PermissionDeniedError,
  TokenValidationError,
} from '../../src/index.ts'
import { answer, loopbackServer, type Reply, reset } from '../support/loopback-server.ts'
import {
  atHashOf,
  baseUrl,
  clientId,
  clientSecret,
  idToken,
  issuer,
  json,
  otherKey,
  redirectUri,
  type Step,
  startSeconds,
  tokens,
} from './issuer.ts'

const code = 'code_1_0123456789abcdef'
const nonce = 'nonce_1_0123456789abcdef'
const codeVerifier = 'verifier_1_0123456789abcdef'
const refreshToken = 'refresh_0_0123456789abcdef'

const exchange = (oidc: OidcClient) => oidc.exchangeCode({ code })
const refresh = (oidc: OidcClient) => oidc.refresh(refreshToken)

const both = it.each([
  { grant: 'an exchange', send: exchange },
  { grant: 'a refresh', send: refresh },
])

const failing = (error: object, status: number): Step => json(error, status)

it('exchanges a code with exactly the fields of the contract, as JSON', async () => {
  const { client, token } = issuer()

  await exchange(client())

  const [request] = token.requests
  expect(request?.url).toBe(`${baseUrl}/api/auth/oidc/token`)
  expect(request?.method).toBe('POST')
  expect(request?.headers.get('content-type')).toBe('application/json')
  expect(request?.headers.get('authorization')).toBeNull()
  expect(request?.headers.get('idempotency-key')).toBeNull()
  expect(await request?.json()).toEqual({
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    code,
    redirect_uri: redirectUri,
  })
})

it('sends the verifier and the redirect URI of the authorization with the code', async () => {
  const { client, token } = issuer()

  await client().exchangeCode({ code, codeVerifier, redirectUri: 'https://other.example/back' })

  const sent = { code_verifier: codeVerifier, redirect_uri: 'https://other.example/back' }
  expect(await token.requests[0]?.json()).toMatchObject(sent)
})

it('refreshes with exactly four fields, as JSON', async () => {
  const { client, token } = issuer()

  await refresh(client())

  expect(await token.requests[0]?.json()).toEqual({
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    client_id: clientId,
    client_secret: clientSecret,
  })
})

both(
  'gives what $grant brought as it came, with the claims and the end of the access token',
  async ({ send }) => {
    const { client, token } = issuer()
    const sent = tokens({ expires_in: 900.5, later: { a: [1] } })
    token.answers(json(sent))

    const { data, response } = await send(client()).withResponse()

    expect(data).toEqual({
      ...sent,
      expires_at: startSeconds + 900,
      claims: expect.objectContaining({ sub: 'user_1' }),
    })
    expect(response).toMatchObject({ status: 200, requestId: 'req_1', attempts: 1 })
    expect(JSON.parse(JSON.stringify(data))).toEqual(data)
  },
)

it('takes a refresh without an id_token, and then tells no claims, whatever the answer holds', async () => {
  const { client, token } = issuer()
  token.answers(json(tokens({ id_token: undefined, claims: { sub: 'admin' }, expires_at: 1 })))

  const renewed = await refresh(client())

  expect(renewed).not.toHaveProperty('claims')
  expect(renewed.expires_at).toBe(startSeconds + 900)
})

it.each([undefined, null, ''])('refuses an exchange whose id_token is %s', async (id_token) => {
  const { client, token } = issuer()
  token.answers(json(tokens({ id_token })))

  await expect(exchange(client())).rejects.toMatchObject({ reason: 'missing_claim', claim: 'id_token' })
})

both('believes no id_token of $grant that another key has signed', async ({ send }) => {
  const { client, token } = issuer()
  token.answers(json(tokens({ id_token: idToken({}, {}, otherKey) })))

  await expect(send(client())).rejects.toBeInstanceOf(TokenValidationError)
})

both('holds the at_hash of $grant against the access token that came along', async ({ send }) => {
  const { client, token } = issuer()
  const access_token = 'access_2_0123456789abcdef'
  token.answers(
    json(tokens({ access_token, id_token: idToken({ at_hash: atHashOf(access_token) }) })),
    json(tokens({ access_token, id_token: idToken({ at_hash: atHashOf('another') }) })),
  )
  const oidc = client()

  await send(oidc)
  await expect(send(oidc)).rejects.toMatchObject({ reason: 'access_token_mismatch' })
})

it('holds the nonce of an exchange against the id_token where it is given', async () => {
  const { client, token } = issuer()
  token.answers(json(tokens({ id_token: idToken({ nonce }) })))
  const oidc = client()

  await oidc.exchangeCode({ code })
  await oidc.exchangeCode({ code, nonce })
  await expect(oidc.exchangeCode({ code, nonce: 'other' })).rejects.toMatchObject({
    reason: 'nonce_mismatch',
  })
})

it.each([
  ['the same person and issuer', { sub: 'user_1', iss: baseUrl }],
  ['nothing', {}],
])('takes a refresh where %s is expected', async (_, expected) => {
  await expect(issuer().client().refresh(refreshToken, { expected })).resolves.toMatchObject({
    claims: { sub: 'user_1' },
  })
})

it.each([
  ['another person', { sub: 'user_2', iss: baseUrl }, 'subject_mismatch'],
  ['another issuer', { sub: 'user_1', iss: 'https://other.example' }, 'issuer_mismatch'],
])('refuses a refresh where %s is expected', async (_, expected, reason) => {
  const { client } = issuer()
  const renewed = client({ issuer: [baseUrl, 'https://other.example'] }).refresh(refreshToken, { expected })

  await expect(renewed).rejects.toMatchObject({ code: 'token_refused', reason })
})

it('sends no option of a refresh to the service', async () => {
  const { client, token } = issuer()

  await client().refresh(refreshToken, {
    expected: { sub: 'user_1' },
    timeoutMs: 1000,
    headers: { 'x-a': 'b' },
  })

  const [request] = token.requests
  expect(request?.headers.get('x-a')).toBe('b')
  expect(await request?.text()).not.toMatch(/expected|timeout|headers/)
})

const shapes: readonly [what: string, over: object][] = [
  ['no access_token', { access_token: undefined }],
  ['an access_token of null', { access_token: null }],
  ['an empty access_token', { access_token: '' }],
  ['an access_token that is an object', { access_token: { token: 'x' } }],
  ['no token_type', { token_type: undefined }],
  ['another token_type', { token_type: 'DPoP' }],
  ['a token_type that only begins well', { token_type: 'Bearer mac' }],
  ['no expires_in', { expires_in: undefined }],
  ['an expires_in of 0', { expires_in: 0 }],
  ['a negative expires_in', { expires_in: -1 }],
  ['an expires_in in text', { expires_in: '900' }],
  ['a refresh_token that is a number', { refresh_token: 7 }],
  ['an id_token that is an object', { id_token: {} }],
  ['a scope that is a list', { scope: ['openid'] }],
]

it.each(
  shapes.flatMap(([what, over]) =>
    (['strict', 'warn', 'off'] as const).map((mode) => ({ what, over, mode })),
  ),
)('refuses an answer with $what under responseValidation $mode', async ({ over, mode }) => {
  const { client, token } = issuer()
  token.answers(json(tokens(over)))
  const oidc = client({ responseValidation: mode })

  for (const send of [exchange, refresh])
    await expect(send(oidc)).rejects.toBeInstanceOf(InvalidResponseError)
})

it.each(['bearer', 'Bearer', 'BEARER'])('takes the token_type %s', async (token_type) => {
  const { client, token } = issuer()
  token.answers(json(tokens({ token_type })))

  await expect(exchange(client())).resolves.toMatchObject({ token_type })
})

it('does not look for the tokens in an envelope', async () => {
  const { client, token } = issuer()
  token.answers(json({ success: true, data: tokens(), error: null }))

  await expect(exchange(client())).rejects.toBeInstanceOf(InvalidResponseError)
})

it.each<[status: number, code: string, type: typeof Error]>([
  [400, 'invalid_grant', BadRequestError as never],
  [401, 'invalid_grant', AuthenticationError as never],
  [401, 'invalid_client', AuthenticationError as never],
  [403, 'unauthorized_client', PermissionDeniedError as never],
  [400, 'unsupported_grant_type', BadRequestError as never],
  [400, 'invalid_request', BadRequestError as never],
])('tells %i %s in either of the two error forms', async (status, name, type) => {
  const { client, token } = issuer()
  token.answers(
    failing({ error: name, error_description: 'The service says no.' }, status),
    failing({ success: false, data: null, error: { code: name, message: 'The service says no.' } }, status),
  )
  const oidc = client()

  for (const send of [exchange, refresh]) {
    const refusal: unknown = await send(oidc).catch((thrown: unknown) => thrown)
    expect(refusal).toBeInstanceOf(type)
    expect(refusal).toMatchObject({ status, code: name, message: 'The service says no.', requestId: 'req_1' })
    expect(isErrorCode(refusal, name)).toBe(true)
  }
})

const page: Reply = answer(200, '<html></html>')

it.each<[what: string, reply: Reply]>([
  ['a 429', answer(429, { error: 'rate_limited' }, { 'retry-after': '0' })],
  ['a 500 that calls itself safe', answer(500, { error: 'internal_error' })],
  ['a 503', answer(503, '')],
  ['a 408', answer(408, '')],
  ['a redirect', answer(307, '', { location: '/elsewhere' })],
  ['a page', page],
  ['a reset', reset],
])('never repeats an exchange or a refresh after %s', async (_, reply) => {
  const { url, seen } = await loopbackServer(reply)
  const oidc = new OidcClient({ baseUrl: url, clientId, clientSecret, redirectUri, maxRetries: 5 })
  onTestFinished(() => oidc.close())

  await expect(exchange(oidc)).rejects.toThrow()
  await expect(refresh(oidc)).rejects.toThrow()

  expect(seen).toHaveLength(2)
})

both('tells of $grant that broke off that it may have arrived', async ({ send }) => {
  const { url } = await loopbackServer(reset)
  const oidc = new OidcClient({ baseUrl: url, clientId, clientSecret, redirectUri })
  onTestFinished(() => oidc.close())

  await expect(send(oidc)).rejects.toMatchObject({
    code: 'connection_failed',
    mayHaveArrived: true,
    attempts: 1,
  })
})

both('repeats $grant where the connection was refused, since nothing was sent', async ({ send }) => {
  const refused: Step = () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED'), {
      code: 'ECONNREFUSED',
      syscall: 'connect',
    })
    return Promise.reject(new TypeError('fetch failed', { cause }))
  }
  const { client, token } = issuer()
  token.answers(refused, refused, json(tokens()))

  const { response } = await send(client()).withResponse()

  expect(response.attempts).toBe(3)
  token.answers(refused)
  const failure: unknown = await send(client({ maxRetries: 0 })).catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(ConnectionError)
  expect(failure).toMatchObject({ mayHaveArrived: false, attempts: 1 })
})

it.each<[what: string, send: (oidc: OidcClient) => PromiseLike<unknown>, path: string]>([
  ['no code', (oidc) => oidc.exchangeCode({} as never), 'code'],
  ['an empty code', (oidc) => oidc.exchangeCode({ code: '' }), 'code'],
  ['no params', (oidc) => oidc.exchangeCode(undefined as never), 'code'],
  ['no refresh token', (oidc) => oidc.refresh(undefined as never), 'refresh_token'],
  ['an empty refresh token', (oidc) => oidc.refresh(''), 'refresh_token'],
])('sends nothing where there is %s', async (_, send, path) => {
  const { client, token } = issuer()

  const refusal: unknown = await Promise.resolve(send(client())).catch((thrown: unknown) => thrown)

  expect(refusal).toBeInstanceOf(InvalidParamsError)
  expect(refusal).toMatchObject({ issues: [{ path }] })
  expect(token.requests).toHaveLength(0)
})

it('sends nothing where no redirect URI is known', async () => {
  const { client, token } = issuer()

  const exchanged = exchange(client({ redirectUri: undefined }))

  await expect(exchanged).rejects.toMatchObject({ issues: [{ path: 'redirectUri' }] })
  expect(token.requests).toHaveLength(0)
})

it('lets no secret, code or token out by errors, logs, events or inspection', async () => {
  const canaries = [clientSecret, code, codeVerifier, refreshToken, ...Object.values(tokens())]
  const secret = canaries.filter((value) => typeof value === 'string' && value.length > 10)
  const echo = (answer: (sent: string) => Response): Step => {
    return async (request) => answer(Object.values((await request.json()) as object).join(' '))
  }
  const steps: Step[] = [
    echo((sent) =>
      Response.json({ error: 'invalid_grant', error_description: `used: ${sent}` }, { status: 400 }),
    ),
    echo((sent) => Response.json({ error: sent }, { status: 401, headers: { 'x-request-id': sent } })),
    json({ error: { code: 'invalid_grant', message: JSON.stringify(tokens()), ...tokens() } }, 400),
    json(tokens({ token_type: refreshToken })),
    json(tokens({ id_token: `${idToken()}x` })),
    () => new Response(JSON.stringify(tokens()).slice(0, -5)),
    echo((sent) => {
      throw new TypeError(`failed: ${sent}`)
    }),
  ]
  const told: unknown[] = []
  const log = (...record: unknown[]) => void told.push(record)
  const options: ClientOptions = {
    logger: { debug: log, info: log, warn: log, error: log },
    onEvent: (event) => void told.push(event),
  }
  const { client, token } = issuer()
  const oidc = client(options)

  for (const step of steps) {
    token.answers(step)
    told.push(await oidc.exchangeCode({ code, codeVerifier, nonce }).catch((thrown: unknown) => thrown))
    told.push(await oidc.refresh(refreshToken).catch((thrown: unknown) => thrown))
  }

  const output = [oidc, ...told]
    .flatMap((one) => [inspect(one, { depth: 12, showHidden: true }), JSON.stringify(one), String(one)])
    .join('\n')
  expect(told.length).toBeGreaterThan(4 * steps.length)
  for (const value of secret) expect(output).not.toContain(value)
})
