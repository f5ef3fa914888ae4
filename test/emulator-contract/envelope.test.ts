import { afterAll, expect, it } from 'vitest'
import { application, listening } from './over-http.ts'

// Section 2.1. `call` of over-http.ts holds every answer of this suite to the envelope; here are all operations once.

const image = '/9j/4A=='
const license = { license_state: 'CA', license_type: 'Registered Nurse', license_number: 'RN-482913' }

const operations: [method: string, path: string, body?: object][] = [
  ['POST', '/api/v2/session', { workflow_id: 'wf_face' }],
  ['GET', '/api/v2/session'],
  ['GET', '/api/v2/session/{id}'],
  ['GET', '/api/v2/session/{id}/decision'],
  ['PATCH', '/api/v2/session/{id}/status', { status: 'DECLINED' }],
  ['POST', '/api/v2/workflows', { name: 'Age', features: ['age'] }],
  ['GET', '/api/v2/workflows'],
  ['GET', '/api/v2/workflows/wf_face'],
  ['PATCH', '/api/v2/workflows/wf_face', { name: 'Other' }],
  ['POST', '/api/v2/id-verification', { front_image: image }],
  ['POST', '/api/v2/liveness', { image }],
  ['POST', '/api/v2/face-match', { image1: image, image2: image }],
  ['POST', '/api/v2/age-verification', { dob: '1990-04-12', bands: [18] }],
  ['POST', '/api/v2/credential-verification', license],
  ['POST', '/api/v2/kyc-credential', { ...license, front_image: image, selfie: image }],
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
  'a success of %s %s is success:true, its data, and error:null',
  async (method, path, json) => {
    const { raw, session } = await listening({ members: [{ email: 'ada@example.com', status: 'link_sent' }] })
    const { session_id } = await session()

    const { status, headers, text } = await raw(method, path.replace('{id}', session_id), {
      json,
      headers: { 'X-API-Key': 'key_1', 'X-Client-Id': 'org_1', 'X-Client-Secret': 'org_secret_1' },
    })

    expect(status).toBe(path === '/api/sdk/members' && method === 'POST' ? 201 : 200)
    expect(headers.get('content-type')).toMatch(/^application\/json\b/)
    expect(JSON.parse(text)).toEqual({ success: true, data: expect.anything(), error: null })
  },
)

it('what has nothing to tell answers in the envelope as well', async () => {
  const { post, call } = await listening()
  const { data } = await post<Record<string, string>>('/api/v2/face-uniqueness', { image })
  const [id] = Object.values(data)

  for (const path of [`/api/v2/face-uniqueness/${id}`, '/api/v2/workflows/wf_all'])
    expect(await call('DELETE', path)).toMatchObject({ status: 200, data: null, error: null })
})

const shared = listening({}, afterAll)

it.each(operations)(
  'a failure of %s %s is success:false with a code and a message',
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

it('the token endpoint answers without the envelope, in success and in failure', async () => {
  const { emulator, raw, url } = await shared
  const query = new URLSearchParams({
    client_id: 'app_1',
    redirect_uri: 'https://app.example/callback',
    response_type: 'code',
    scope: 'openid',
    state: 's',
  })
  const callback = new URL(emulator.signIn.approve(`${url}/api/auth/oidc/authorize?${query}`))
  const json = {
    grant_type: 'authorization_code',
    ...application,
    code: callback.searchParams.get('code'),
    redirect_uri: 'https://app.example/callback',
  }

  const succeeded = await raw('POST', '/api/auth/oidc/token', { json })
  const failed = await raw('POST', '/api/auth/oidc/token', { json })

  expect(succeeded.status).toBe(200)
  expect(Object.keys(JSON.parse(succeeded.text)).sort()).toEqual([
    'access_token',
    'expires_in',
    'id_token',
    'refresh_token',
    'scope',
    'token_type',
  ])
  expect(failed.status).toBe(400)
  expect(JSON.parse(failed.text)).toEqual({ error: 'invalid_grant', error_description: expect.any(String) })
})

it('every kind of response carries an X-Request-Id of its own', async () => {
  const { emulator, raw, session } = await shared
  const { url } = await session()
  emulator.faults.add({ match: 'GET /api/v2/session', status: 500, code: 'internal_error' })
  const headers = { 'X-API-Key': 'key_1' }

  const answers = [
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

  expect(answers.map(({ status }) => status)).toEqual([
    500, 200, 401, 400, 404, 404, 200, 200, 400, 302, 400, 410, 401,
  ])
  const ids = answers.map((answer) => answer.headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(answers.length)
})

it('a validation failure of the organization API has a map of fields in data.errors', async () => {
  const { call } = await listening()

  const { status, data, error } = await call<{ errors: Record<string, unknown> }>(
    'POST',
    '/api/sdk/members',
    {
      json: { members: [{ email: 'ada@example.com' }, { first_name: 'Bob' }], notify: 'yes' },
    },
  )

  expect(status).toBe(400)
  expect(error).toMatchObject({ code: 'invalid_request', message: expect.any(String) })
  const fields = Object.keys(data.errors)
  expect(fields).toHaveLength(2)
  expect(fields).toContainEqual(expect.stringMatching(/1.*email/))
  expect(fields).toContainEqual('notify')
})
