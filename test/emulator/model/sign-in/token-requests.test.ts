import { expect, it } from 'vitest'
import { application, redirectUri } from '../../support/service.ts'
import { sharedSignIn } from '../../support/sign-in.ts'

// Sections 5 and 7: requests to the token endpoint

const path = '/api/auth/oidc/token'
const { codeFor, exchange, raw } = await sharedSignIn()

it.each<[what: string, over: object, status: number, error: string]>([
  ['no grant_type', { grant_type: undefined }, 400, 'invalid_request'],
  ['another grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
  ['the grant_type client_credentials', { grant_type: 'client_credentials' }, 400, 'unsupported_grant_type'],
  ['no code', { code: undefined }, 400, 'invalid_request'],
  ['a code that is not a string', { code: 1 }, 400, 'invalid_request'],
  ['no redirect_uri', { redirect_uri: undefined }, 400, 'invalid_request'],
  ['no refresh_token', { grant_type: 'refresh_token' }, 400, 'invalid_request'],
  ['an unknown refresh_token', { grant_type: 'refresh_token', refresh_token: 'rt_0' }, 400, 'invalid_grant'],
  ['no client_id', { client_id: undefined }, 401, 'invalid_client'],
  ['another client_id', { client_id: 'app_2' }, 401, 'invalid_client'],
  ['no client_secret', { client_secret: undefined }, 401, 'invalid_client'],
  ['another client_secret', { client_secret: 'guess' }, 401, 'invalid_client'],
])('rejects a request with %s in the form of RFC 6749, without an envelope', async (_, over, expected, error) => {
  const { status, body } = await exchange(codeFor(), over)

  expect(status).toBe(expected)
  expect(body).toEqual({ error, error_description: expect.any(String) })
})

it.each([
  ['JSON that ends early', '{"grant_type":', 'application/json'],
  ['a list', '[]', 'application/json'],
  ['a string', '""', 'application/json'],
  ['another content type', '{}', 'text/plain'],
  ['more than 64 KiB', JSON.stringify({ more: 'x'.repeat(65_536) }), 'application/json'],
  ['a form with a repeated field', 'grant_type=a&grant_type=b', 'application/x-www-form-urlencoded'],
])('rejects %s with 400 invalid_request', async (_, body, contentType) => {
  const { status, text } = await raw('POST', path, { headers: { 'Content-Type': contentType }, body })

  expect(status).toBe(400)
  expect(JSON.parse(text)).toMatchObject({ error: 'invalid_request' })
})

it('reads a form with 10,000 fields within a second of CPU time', async () => {
  const body = new URLSearchParams(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [i, ''])))
  const before = process.cpuUsage()

  expect((await raw('POST', path, { body })).status).toBe(401)

  // CPU time of this process, because the elapsed time depends on the load of the machine.
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000)
})

it('accepts a form as well as JSON', async () => {
  const body = new URLSearchParams({
    ...application,
    grant_type: 'authorization_code',
    code: codeFor(),
    redirect_uri: redirectUri,
  })

  const { status, text } = await raw('POST', path, { body })

  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({ token_type: 'Bearer' })
})
