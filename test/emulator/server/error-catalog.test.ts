import { afterAll, expect, it } from 'vitest'
import { application, overHttp, redirectUri } from '../support/service.ts'

const { emulator, raw } = await overHttp({}, afterAll)

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
