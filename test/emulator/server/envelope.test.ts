import { expect, it } from 'vitest'
import { photoBase64 as image } from '../support/images.ts'
import { apiKey, overHttp } from '../support/service.ts'

// Section 2.1. `call` checks the envelope of every response in these tests.

it('a deletion returns success:true with data:null', async () => {
  const { post, call } = await overHttp()
  const { data } = await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image })

  for (const path of [`/api/v2/face-uniqueness/${data.svc_uuid}`, '/api/v2/workflows/wf_identity'])
    expect(await call('DELETE', path)).toMatchObject({ status: 200, data: null, error: null })
})

it('every kind of response has X-Emulator: 1 and its own X-Request-Id, which the request log contains', async () => {
  const { emulator, raw, session } = await overHttp()
  const { url } = await session()
  emulator.faults.add({ match: 'GET /api/v2/session', status: 500, code: 'internal_error' })
  const headers = apiKey

  const responses = [
    await raw('GET', '/api/v2/session', { headers }),
    await raw('GET', '/api/v2/session', { headers }),
    await raw('GET', '/api/v2/session'),
    await raw('POST', '/api/v2/session', { headers, body: '{' }),
    await raw('GET', '/api/v2/no-such-path', { headers }),
    await raw('GET', '/'),
    await raw('GET', url),
    await raw('GET', '/api/auth/oidc/jwks.json'),
    await raw('GET', '/api/auth/oidc/authorize'),
    await raw('GET', '/api/auth/oidc/authorize?client_id=app_1&redirect_uri=https://app.example/callback'),
    await raw('POST', '/api/auth/oidc/token', { body: '' }),
    await raw('GET', '/api/auth/tpsso/userinfo'),
    await raw('GET', '/api/sdk/billing'),
  ]

  expect(responses.map(({ status }) => status)).toEqual([
    500, 200, 401, 400, 404, 404, 200, 200, 400, 302, 400, 410, 401,
  ])
  const valuesOf = (name: string) => responses.map((response) => response.headers.get(name))
  expect(valuesOf('x-emulator')).toEqual(Array(responses.length).fill('1'))
  expect(new Set(valuesOf('x-request-id')).size).toBe(responses.length)
  expect(emulator.requests.slice(1).map(({ requestId }) => requestId)).toEqual(valuesOf('x-request-id'))
})
