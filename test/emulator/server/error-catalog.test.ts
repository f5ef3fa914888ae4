import { afterAll, expect, it } from 'vitest'
import { application, overHttp, redirectUri } from '../support/service.ts'

const { call, emulator, raw } = await overHttp({}, afterAll)

it.each(['invalid_grant', 'server_error', 'rate_limited', 'misconfigured'])(
  'a fault of the token endpoint returns %s in the form of RFC 6749',
  async (code) => {
    emulator.faults.add({ match: 'POST /api/auth/oidc/token', status: 500, code: { unlisted: code } })

    const { status, text } = await raw('POST', '/api/auth/oidc/token', {
      json: { grant_type: 'authorization_code', ...application, code: 'c', redirect_uri: redirectUri },
    })

    expect(status).toBe(500)
    expect(JSON.parse(text)).toEqual({ error: code, error_description: expect.any(String) })
  },
)

it.each([400, 401, 402, 403, 404, 409, 410, 413, 422, 423, 429, 500, 502, 503])(
  'a fault returns the category %i',
  async (status) => {
    emulator.faults.add({ match: 'POST /api/v2/liveness', status })

    expect((await call('POST', '/api/v2/liveness', { json: { image: 'AAAA' } })).status).toBe(status)
  },
)
