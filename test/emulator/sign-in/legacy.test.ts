import { afterAll, expect, it } from 'vitest'
import { application, overHttp } from '../support/service.ts'

const { call } = await overHttp({}, afterAll)

const grant = {
  ...application,
  grant_type: 'authorization_code',
  code: 'c',
  redirect_uri: 'https://app.example/',
}

// Sections 4.8 and 9. A removed endpoint no longer checks credentials, although 4.8 documents 401 for a missing secret.
it.each([
  ['POST', '/api/auth/tpsso/token', 'with the documented body', grant],
  ['POST', '/api/auth/tpsso/token', 'without a body', undefined],
  ['GET', '/api/auth/tpsso/authorize', 'although it was never documented', undefined],
  ['GET', '/api/auth/tpsso/userinfo', 'without a body', undefined],
  ['GET', '/api/auth/tpsso/licenses', 'without a body', undefined],
  ['GET', '/api/auth/tpsso/verifications', 'without a body', undefined],
  [
    'POST',
    '/api/auth/tpsso/refresh',
    'with the documented body',
    { ...application, refresh_token: 'r', rotate_refresh: false },
  ],
  ['POST', '/api/auth/tpsso/refresh', 'without client credentials', { refresh_token: 'r' }],
])('%s %s returns 410 endpoint_removed and refers to OpenID Connect, %s', async (method, path, _, json) => {
  for (const headers of [{}, { Authorization: 'Bearer token' }] as const) {
    const { status, data, error } = await call(method, path, { json, headers })

    expect([status, data, error?.code]).toEqual([410, null, 'endpoint_removed'])
    expect(error?.message).toMatch(/OpenID Connect/)
  }
})
