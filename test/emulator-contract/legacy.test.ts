import { afterAll, expect, it } from 'vitest'
import { application, listening } from './over-http.ts'

const service = await listening({}, afterAll)

const grant = {
  ...application,
  grant_type: 'authorization_code',
  code: 'c',
  redirect_uri: 'https://app.example/',
}

// Sections 4.8 and 9: what is removed checks no credentials any more, whatever 4.8 says of a missing secret.
it.each([
  ['POST', '/api/auth/tpsso/token', grant],
  ['GET', '/api/auth/tpsso/userinfo', undefined],
  ['GET', '/api/auth/tpsso/licenses', undefined],
  ['GET', '/api/auth/tpsso/verifications', undefined],
  ['POST', '/api/auth/tpsso/refresh', { ...application, refresh_token: 'r', rotate_refresh: false }],
  ['POST', '/api/auth/tpsso/refresh', { refresh_token: 'r' }],
  ['POST', '/api/auth/tpsso/token', undefined],
  ['GET', '/api/auth/tpsso/authorize', undefined],
])('%s %s is 410 endpoint_removed, whoever asks and whatever they send', async (method, path, json) => {
  for (const headers of [{}, { Authorization: 'Bearer token' }] as const) {
    const { status, data, error } = await service.call(method, path, { json, headers })

    expect([status, data, error?.code]).toEqual([410, null, 'endpoint_removed'])
    expect(error?.message).toMatch(/OpenID Connect/)
  }
})
