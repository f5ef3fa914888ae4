import { afterAll, expect, it } from 'vitest'
import { nurse } from '../support/checks.ts'
import { photoBase64 as image } from '../support/images.ts'
import { apiKey, organization, overHttp } from '../support/service.ts'

// Section 2.1. `call` checks the envelope of every response in these tests. Here is each operation once.

const operations: [method: string, path: string, body?: object][] = [
  ['POST', '/api/v2/session', { workflow_id: 'wf_identity' }],
  ['GET', '/api/v2/session'],
  ['GET', '/api/v2/session/{id}'],
  ['GET', '/api/v2/session/{id}/decision'],
  ['PATCH', '/api/v2/session/{id}/status', { status: 'DECLINED' }],
  ['POST', '/api/v2/workflows', { name: 'Age', features: ['age'] }],
  ['GET', '/api/v2/workflows'],
  ['GET', '/api/v2/workflows/wf_identity'],
  ['PATCH', '/api/v2/workflows/wf_identity', { name: 'Other' }],
  ['POST', '/api/v2/id-verification', { front_image: image }],
  ['POST', '/api/v2/liveness', { image }],
  ['POST', '/api/v2/face-match', { image1: image, image2: image }],
  ['POST', '/api/v2/age-verification', { dob: '1990-04-12', bands: [18] }],
  ['POST', '/api/v2/credential-verification', nurse],
  ['POST', '/api/v2/kyc-credential', { ...nurse, front_image: image, selfie: image }],
  ['POST', '/api/v2/location', { latitude: 1, longitude: 2, accuracy: 3 }],
  ['GET', '/api/v2/credential/states'],
  ['GET', '/api/v2/credential/states/CA/providers'],
  ['POST', '/api/v2/antispoof', { image }],
  ['POST', '/api/v2/antispoof/identity', { image }],
  ['POST', '/api/v2/face-uniqueness', { image }],
  ['GET', '/api/sdk/members'],
  ['POST', '/api/sdk/members/resolve', { email: 'ada@example.com' }],
  ['POST', '/api/sdk/members', { members: [{ email: 'new@example.com' }] }],
  ['POST', '/api/sdk/members/ada@example.com/invite'],
  ['PATCH', '/api/sdk/members/ada@example.com/deactivate'],
  ['PATCH', '/api/sdk/members/ada@example.com/reactivate'],
  ['DELETE', '/api/sdk/members/ada@example.com'],
  ['GET', '/api/sdk/billing'],
]

it.each(operations)(
  '%s %s returns success:true, its data and error:null if it succeeds',
  async (method, path, json) => {
    const { raw, session } = await overHttp({ members: [{ email: 'ada@example.com', status: 'link_sent' }] })
    const { session_id } = await session()

    const { status, headers, text } = await raw(method, path.replace('{id}', session_id), {
      json,
      headers: { ...apiKey, ...organization },
    })

    expect(status).toBe(path === '/api/sdk/members' && method === 'POST' ? 201 : 200)
    expect(headers.get('content-type')).toMatch(/^application\/json\b/)
    expect(JSON.parse(text)).toEqual({ success: true, data: expect.anything(), error: null })
  },
)

it('a deletion returns success:true with data:null', async () => {
  const { post, call } = await overHttp()
  const { data } = await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image })

  for (const path of [`/api/v2/face-uniqueness/${data.svc_uuid}`, '/api/v2/workflows/wf_identity'])
    expect(await call('DELETE', path)).toMatchObject({ status: 200, data: null, error: null })
})

const shared = overHttp({}, afterAll)

it.each(operations)(
  '%s %s returns success:false with a code and a message if it fails',
  async (method, path, json) => {
    const { raw } = await shared

    const { status, text } = await raw(method, path.replace('{id}', 'sess_1'), { json })

    expect(status).toBe(401)
    expect(JSON.parse(text)).toEqual({
      success: false,
      data: null,
      error: { code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringMatching(/\w+ \w+/) },
    })
  },
)

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
