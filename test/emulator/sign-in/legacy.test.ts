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
  ['POST', '/api/auth/tpsso/token', grant],
  ['GET', '/api/auth/tpsso/userinfo', undefined],
  ['GET', '/api/auth/tpsso/licenses', undefined],
  ['GET', '/api/auth/tpsso/verifications', undefined],
  ['POST', '/api/auth/tpsso/refresh', { ...application, refresh_token: 'r', rotate_refresh: false }],
  ['POST', '/api/auth/tpsso/refresh', { refresh_token: 'r' }],
  ['POST', '/api/auth/tpsso/token', undefined],
  ['GET', '/api/auth/tpsso/authorize', undefined],
])('%s %s returns 410 endpoint_removed and refers to OpenID Connect: %j', async (method, path, json) => {
  for (const headers of [{}, { Authorization: 'Bearer token' }] as const) {
    const { status, data, error } = await call(method, path, { json, headers })

    expect([status, data, error?.code]).toEqual([410, null, 'endpoint_removed'])
    expect(error?.message).toMatch(/OpenID Connect/)
  }
})
