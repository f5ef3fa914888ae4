import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { InvalidParamsError, type OidcClient } from '../../../src/index.ts'
import { showOnlyOurWords } from '../../support/error-detail.ts'
import { recordingLogger } from '../../support/recording-logger.ts'
import { code, refreshToken } from '../grants.ts'
import { baseUrl, clientId, clientSecret, issuer, json, redirectUri } from '../issuer.ts'

showOnlyOurWords()

const accessToken = 'access_1_0123456789abcdef'

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

const client = { client_id: clientId, client_secret: clientSecret }
const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`

const calls: readonly [what: string, call: (oidc: OidcClient) => PromiseLike<unknown>][] = [
  ['a code exchange', ({ legacy }) => legacy.exchangeCode({ code })],
  ['userinfo', ({ legacy }) => legacy.userinfo(accessToken)],
  ['licenses', ({ legacy }) => legacy.licenses(accessToken)],
  ['verifications', ({ legacy }) => legacy.verifications(accessToken)],
  ['a refresh', ({ legacy }) => legacy.refresh(refreshToken)],
  ['a refresh with HTTP Basic', ({ legacy }) => legacy.refresh(refreshToken, { auth: 'basic' })],
]

const info = {
  sub: 'user_1',
  email: 'ada@example.test',
  first_name: 'Ada',
  last_name: null,
  full_name: 'Ada Lovelace',
  svc_id: 'svc_1',
  id_verified: false,
  created_at: '2026-01-01T00:00:00Z',
}
const licenses = [{ type: 'RN', number: '1', status: 'active', expires_on: '2030-01-01', issuer: 'CA' }]
const verifications = {
  human_verified: true,
  id_verified: true,
  licenses: [
    { license_type: 'RN', verified: true, verified_from: 'board', expire_at: '2030-01-01T00:00:00Z' },
    { license_type: 'MD', verified: false, verified_from: null, expire_at: null },
  ],
}
const grant = { grant_type: 'authorization_code', ...client, code, redirect_uri: redirectUri }

/** By call: its request, the `data` of the documented response, and what the method returns. */
const documented: readonly [line: string, body: object | undefined, data: object, result: object][] = [
  ['POST token', grant, { ...issued, user }, { ...issued, user }],
  ['GET userinfo', undefined, info, info],
  ['GET licenses', undefined, { licenses }, licenses],
  ['GET verifications', undefined, { verifications }, verifications],
  ['POST refresh', { refresh_token: refreshToken, ...client }, { tokens: issued }, issued],
  ['POST refresh', { refresh_token: refreshToken }, { tokens: issued }, issued],
]

it.each(calls.map(([what, call], i) => [what, call, ...(documented[i] ?? expect.fail(what))] as const))(
  '%s sends the documented request and returns the documented fields, without a warning',
  async (what, call, line, body, data, result) => {
    const { client, others } = issuer()
    const { logger, warnings } = recordingLogger()
    others.respondWith(json({ success: true, data, error: null }))

    const received = await call(client({ responseValidation: 'strict', logger }))

    const [request] = others.requests as [Request]
    expect(received).toEqual(result)
    expect(warnings).toEqual([])
    expect(`${request.method} ${request.url}`).toBe(line.replace(' ', ` ${baseUrl}/api/auth/tpsso/`))
    const credentials = line.startsWith('GET') ? `Bearer ${accessToken}` : null
    expect(request.headers.get('authorization')).toBe(what.endsWith('Basic') ? basic : credentials)
    for (const name of ['x-api-key', 'x-client-id', 'x-client-secret']) expect(request.headers.get(name)).toBeNull()
    const text = await request.text()
    expect(text === '' ? undefined : JSON.parse(text)).toEqual(body)
  },
)

it.each(calls)('%s throws a GoneError that names its replacement, because it was removed', async (_, call) => {
  const { client, others } = issuer()
  const error = { code: 'endpoint_removed', message: 'This endpoint was removed.' }
  others.respondWith(json({ success: false, data: null, error }, 410))

  await expect(call(client())).rejects.toMatchObject({
    name: 'GoneError',
    code: 'endpoint_removed',
    message: expect.stringMatching(/oidc\.\w+/),
  })
})

it.each(calls.filter((_, i) => documented[i]?.[0].startsWith('POST')))(
  '%s is sent once, because a code or a token can be used once',
  async (_, call) => {
    const { client, others } = issuer()
    const error = { code: 'internal_error', message: 'x' }
    others.respondWith(json({ success: false, data: null, error }, 500))

    await expect(call(client())).rejects.toMatchObject({ code: 'internal_error' })

    expect(others.requests).toHaveLength(1)
  },
)

it.each(calls)('%s shows no credentials and tokens in an error', async (_, call) => {
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

it('form-encodes id and secret for HTTP Basic, because an id may contain a colon', async () => {
  const { client, others } = issuer()
  others.respondWith(json({ success: true, data: { tokens: issued }, error: null }))

  await client({ clientId: 'a:b', clientSecret: 'ü c' }).legacy.refresh(refreshToken, { auth: 'basic' })

  const sent = others.requests[0]?.headers.get('authorization') ?? ''
  expect(Buffer.from(sent.slice(6), 'base64').toString()).toBe('a%3Ab:%C3%BC%20c')
})
