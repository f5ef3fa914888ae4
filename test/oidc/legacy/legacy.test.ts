import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { InvalidParamsError, type OidcClient } from '../../../src/index.ts'
import { showOnlyOurWords } from '../../support/error-detail.ts'
import { clientId, clientSecret, issuer, json, redirectUri } from '../issuer.ts'

showOnlyOurWords()

const accessToken = 'access_1_0123456789abcdef'
const code = 'code_1_0123456789abcdef'
const refreshToken = 'refresh_1_0123456789abcdef'

const user = {
  id: 'u_1',
  email: 'ada@example.test',
  username: 'ada',
  name: 'Ada Lovelace',
  svc_id: 'svc_1',
  avatar_url: null,
  created_at: '2026-01-01T00:00:00Z',
}
const issued = {
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: 900,
  refresh_token: refreshToken,
}
const licence = { type: 'RN', number: '1', status: 'active', expires_on: '2030-01-01', issuer: 'CA' }
const verifications = {
  human_verified: true,
  id_verified: true,
  licenses: [{ license_type: 'RN', verified: true, verified_from: null, expire_at: null }],
}
const info = {
  sub: 'user_1',
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: 'Lovelace',
  full_name: 'Ada Lovelace',
  svc_id: 'svc_1',
  id_verified: true,
  created_at: '2026-01-01T00:00:00Z',
}

const bearer = { authorization: `Bearer ${accessToken}` }
const client = { client_id: clientId, client_secret: clientSecret }
const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

interface LegacyCall {
  readonly what: string
  readonly call: (oidc: OidcClient) => PromiseLike<unknown>
  readonly line: string
  readonly headers?: Readonly<Record<string, string>>
  readonly sent?: object
  /** `data` of the response, and what the caller gets if it is not the same. */
  readonly data: object
  readonly result?: object
  readonly instead: string
}

const calls: readonly LegacyCall[] = [
  {
    what: 'a code exchange',
    call: ({ legacy }) => legacy.exchangeCode({ code }),
    line: 'POST /token',
    sent: { grant_type: 'authorization_code', ...client, code, redirect_uri: redirectUri },
    data: { ...issued, user },
    instead: 'oidc.exchangeCode',
  },
  {
    what: 'a code exchange with another redirect URI',
    call: ({ legacy }) => legacy.exchangeCode({ code, redirectUri: 'https://app.example/back' }),
    line: 'POST /token',
    sent: { grant_type: 'authorization_code', ...client, code, redirect_uri: 'https://app.example/back' },
    data: { ...issued, user: { ...user, id: 7, svc_id: null } },
    instead: 'oidc.exchangeCode',
  },
  {
    what: 'userinfo',
    call: ({ legacy }) => legacy.userinfo(accessToken),
    line: 'GET /userinfo',
    headers: bearer,
    data: info,
    instead: 'oidc.validateIdToken',
  },
  {
    what: 'licences',
    call: ({ legacy }) => legacy.licenses(accessToken),
    line: 'GET /licenses',
    headers: bearer,
    data: { licenses: [licence] },
    result: [licence],
    instead: 'oidc.handleCallback',
  },
  {
    what: 'verifications',
    call: ({ legacy }) => legacy.verifications(accessToken),
    line: 'GET /verifications',
    headers: bearer,
    data: { verifications },
    result: verifications,
    instead: 'oidc.handleCallback',
  },
  {
    what: 'a refresh with the credentials in the body',
    call: ({ legacy }) => legacy.refresh(refreshToken),
    line: 'POST /refresh',
    sent: { refresh_token: refreshToken, ...client },
    data: { tokens: issued },
    result: issued,
    instead: 'oidc.refresh',
  },
  {
    what: 'a refresh with HTTP Basic',
    call: ({ legacy }) => legacy.refresh(refreshToken, { auth: 'basic', rotate_refresh: false }),
    line: 'POST /refresh',
    headers: { authorization: basic },
    sent: { refresh_token: refreshToken, rotate_refresh: false },
    data: { tokens: issued },
    result: issued,
    instead: 'oidc.refresh',
  },
]

it.each(calls)('$what shows no credentials and tokens in an error', async ({ call }) => {
  const { client, others } = issuer()
  const secrets = [clientSecret, accessToken, refreshToken, code, basic.slice(6)]
  others.respondWith(async (request) => {
    const message = `${await request.text()} ${request.headers.get('authorization')} ${clientSecret}`
    const error = { code: 'invalid_token', message, tokens: issued }
    return Response.json({ success: false, data: null, error }, { status: 401 })
  })

  const error: unknown = await Promise.resolve(call(client())).catch((thrown: unknown) => thrown)

  const output = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)
  expect(error).toMatchObject({ code: 'invalid_token' })
  for (const secret of secrets) expect(output).not.toContain(secret)
})

it.each([
  ['undefined', undefined],
  ['empty', ''],
  ['split by a line break', 'token\r\nx-evil: 1'],
  ['followed by a NUL', 'token\0'],
])('rejects an access token that is %s, and sends nothing', async (_, token) => {
  const { client, others } = issuer()
  const { legacy } = client()

  for (const name of ['userinfo', 'licenses', 'verifications'] as const) {
    const result = legacy[name](token as string)
    await expect(result).rejects.toBeInstanceOf(InvalidParamsError)
    await expect(result).rejects.toMatchObject({
      operation: expect.stringMatching(/^oidc\.legacy\./),
      attempts: 0,
      issues: [{ path: 'accessToken', message: expect.stringMatching(/^must be /) }],
    })
  }
  expect(others.requests).toHaveLength(0)
})

it('sends no redirect URI in a legacy code exchange if neither the call nor the client has one', async () => {
  const { client, others } = issuer()
  others.respondWith(json({ success: true, data: { ...issued, user }, error: null }))

  await client({ redirectUri: undefined }).legacy.exchangeCode({ code })

  expect(await others.requests[0]?.json()).not.toHaveProperty('redirect_uri')
})

it('does not send the options of a refresh to the service', async () => {
  const service = issuer()
  const { others } = service
  others.respondWith(json({ success: true, data: { tokens: issued }, error: null }))

  await service.client().legacy.refresh(refreshToken, { rotate_refresh: true }, { headers: { 'x-a': 'b' } })

  const [request] = others.requests
  expect(request?.headers.get('x-a')).toBe('b')
  expect(await request?.json()).toEqual({ refresh_token: refreshToken, rotate_refresh: true, ...client })
})

it('form-encodes id and secret for HTTP Basic, because an id may contain a colon', async () => {
  const { client, others } = issuer()
  others.respondWith(json({ success: true, data: { tokens: issued }, error: null }))

  await client({ clientId: 'a:b', clientSecret: 'ü c' }).legacy.refresh(refreshToken, { auth: 'basic' })

  const sent = others.requests[0]?.headers.get('authorization') ?? ''
  expect(Buffer.from(sent.slice(6), 'base64').toString()).toBe('a%3Ab:%C3%BC%20c')
})
