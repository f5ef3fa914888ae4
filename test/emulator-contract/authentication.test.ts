import { afterAll, expect, it } from 'vitest'
import { listening, organization } from './over-http.ts'

const { raw, session } = await listening({ members: [{ email: 'ada@example.com' }] }, afterAll)

// Section 5

const verificationApi = [
  'POST /api/v2/session',
  'GET /api/v2/session',
  'GET /api/v2/session/sess_1',
  'GET /api/v2/session/sess_1/decision',
  'PATCH /api/v2/session/sess_1/status',
  'POST /api/v2/workflows',
  'GET /api/v2/workflows',
  'GET /api/v2/workflows/wf_face',
  'PATCH /api/v2/workflows/wf_face',
  'DELETE /api/v2/workflows/wf_face',
  'POST /api/v2/id-verification',
  'POST /api/v2/liveness',
  'POST /api/v2/face-match',
  'POST /api/v2/age-verification',
  'POST /api/v2/credential-verification',
  'POST /api/v2/kyc-credential',
  'POST /api/v2/location',
  'GET /api/v2/credential/states',
  'GET /api/v2/credential/states/CA/providers',
  'POST /api/v2/antispoof',
  'POST /api/v2/antispoof/identity',
  'POST /api/v2/face-uniqueness',
  'DELETE /api/v2/face-uniqueness/uuid',
]

const organizationApi = [
  'GET /api/sdk/members',
  'POST /api/sdk/members',
  'POST /api/sdk/members/resolve',
  'PATCH /api/sdk/members/ada@example.com/deactivate',
  'PATCH /api/sdk/members/ada@example.com/reactivate',
  'DELETE /api/sdk/members/ada@example.com',
  'POST /api/sdk/members/ada@example.com/invite',
  'GET /api/sdk/billing',
]

const refusal = async (line: string, headers: Record<string, string>) => {
  const [method = '', path = ''] = line.split(' ')
  const { status, text } = await raw(method, path, { headers })
  return [status, JSON.parse(text).error?.code]
}

it.each(verificationApi)('%s without the API key is 401 invalid_api_key', async (line) => {
  const refused = [401, 'invalid_api_key']

  expect(await refusal(line, {})).toEqual(refused)
  expect(await refusal(line, { 'X-API-Key': 'key_2' })).toEqual(refused)
  expect(await refusal(line, { 'X-API-Key': '' })).toEqual(refused)
  expect(await refusal(line, { Authorization: 'Bearer key_2' })).toEqual(refused)
  expect(await refusal(line, { Authorization: 'Basic key_1' })).toEqual(refused)
  expect(await refusal(line, organization)).toEqual(refused)
})

it.each([{ 'X-API-Key': 'key_1' }, { Authorization: 'Bearer key_1' }, { authorization: 'bearer key_1' }])(
  'the API key travels as X-API-Key or as a bearer token: %j',
  async (headers) => {
    expect((await raw('GET', '/api/v2/session', { headers })).status).toBe(200)
  },
)

it.each(organizationApi)('%s without the organization credentials is 401 invalid_client', async (line) => {
  const { 'X-Client-Id': id, 'X-Client-Secret': secret } = organization
  const refused = [401, 'invalid_client']

  expect(await refusal(line, {})).toEqual(refused)
  expect(await refusal(line, { 'X-Client-Id': id })).toEqual(refused)
  expect(await refusal(line, { 'X-Client-Secret': secret })).toEqual(refused)
  expect(await refusal(line, { 'X-Client-Id': id, 'X-Client-Secret': 'guess' })).toEqual(refused)
  expect(await refusal(line, { 'X-Client-Id': 'org_2', 'X-Client-Secret': secret })).toEqual(refused)
  expect(await refusal(line, { 'X-API-Key': 'key_1', Authorization: 'Bearer key_1' })).toEqual(refused)
})

it('the organization API takes both credentials as headers', async () => {
  expect((await raw('GET', '/api/sdk/billing', { headers: organization })).status).toBe(200)
})

it('a session token opens nothing of the API', async () => {
  const { session_token } = await session()

  expect(await refusal('GET /api/v2/session', { 'X-API-Key': session_token })).toEqual([
    401,
    'invalid_api_key',
  ])
})
