import { inspect } from 'node:util'
import { expect, expectTypeOf, it } from 'vitest'
import { InvalidParamsError, type OidcClient, PermissionDeniedError } from '../../src/index.ts'
import { showOnlyOurWords } from '../support/error-detail.ts'
import { thrownBy } from '../support/thrown-by.ts'
import { baseUrl, clientSecret, issuer, json } from './issuer.ts'

showOnlyOurWords()

const accessToken = 'access_1_0123456789abcdef'
const me = { method: 'GET', path: '/api/auth/oidc/me', accessToken } as const

it('sends a request with the access token, and without the credentials of the client', async () => {
  const { client, others } = issuer()
  others.respondWith(json({ sub: 'user_1' }))

  const request = { ...me, method: 'POST', query: { a: 'b c', none: undefined }, body: { x: 1 } } as const
  const received = await client().request(request, { headers: { 'x-a': 'b' } })

  expect(received).toEqual({ sub: 'user_1' })
  const [sent] = others.requests
  expect(`${sent?.method} ${sent?.url}`).toBe(`POST ${baseUrl}/api/auth/oidc/me?a=b%20c`)
  expect(Object.fromEntries(sent?.headers ?? [])).toMatchObject({
    authorization: `Bearer ${accessToken}`,
    'x-a': 'b',
  })
  expect([...(sent?.headers.keys() ?? [])].filter((name) => /^x-(?:api|client)/.test(name))).toEqual([])
  const body = await sent?.text()
  expect(body).toBe('{"x":1}')
  expect(body + inspect([...(sent?.headers ?? [])])).not.toContain(clientSecret)
})

it('has the type that the caller expects, and unknown without one', () => {
  expectTypeOf<OidcClient['request']>().parameter(0).toHaveProperty('accessToken').toEqualTypeOf<string>()
  const typed = () => issuer().client().request<{ sub: string }>(me)
  expectTypeOf(typed).returns.resolves.toEqualTypeOf<{ sub: string }>()
  const untyped = () => issuer().client().request(me)
  expectTypeOf(untyped).returns.resolves.toEqualTypeOf<unknown>()
})

it('throws the errors of the service, in both forms, with nothing of the access token', async () => {
  const { client, others } = issuer()
  const bodies = [
    { success: false, data: null, error: { code: 'insufficient_scope', message: `not with ${accessToken}` } },
    { error: 'insufficient_scope', error_description: `not with ${accessToken}` },
  ]

  for (const body of bodies) {
    others.respondWith(json(body, 403))
    const error = await thrownBy(client().request(me))

    expect(error).toBeInstanceOf(PermissionDeniedError)
    expect(error).toMatchObject({ code: 'insufficient_scope', operation: 'oidc.request', requestId: 'req_1' })
    expect(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error)).not.toContain(accessToken)
  }
})

it.each([undefined, '', 'token\r\nx-evil: 1', 7])('rejects the access token %o, and sends nothing', async (token) => {
  const { client, others } = issuer()

  const result = client().request({ ...me, accessToken: token as string })

  await expect(result).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(result).rejects.toMatchObject({
    operation: 'oidc.request',
    issues: [{ path: 'accessToken' }],
  })
  expect(others.requests).toEqual([])
})

it('rejects the token endpoint, because the credentials of the client are never sent next to a token', async () => {
  const { client, token } = issuer()
  const body = { grant_type: 'refresh_token', refresh_token: 'x' }

  const result = client().request({ method: 'POST', path: '/api/auth/oidc/token', body, accessToken })

  await expect(result).rejects.toBeInstanceOf(InvalidParamsError)
  await expect(result).rejects.toThrow(/oidc\.request: path must not be the token endpoint.*call exchangeCode/)
  expect(token.requests).toEqual([])
})

it('the access token of a call wins over a header of the client', async () => {
  const { client, others } = issuer()
  others.respondWith(json({}))

  await client({ headers: { Authorization: 'Basic x' } }).request(me, {
    headers: { authorization: 'Basic y' },
  })

  expect(others.requests[0]?.headers.get('authorization')).toBe(`Bearer ${accessToken}`)
})
