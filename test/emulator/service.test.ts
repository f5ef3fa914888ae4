import { expect, it } from 'vitest'
import { verificationEndpoints } from '../../src/contract/verification/endpoints.ts'
import { emulated, formOf, origin, requestOf } from './emulated.ts'

const image = btoa('image')

/** A valid body for each operation that takes one. */
const bodies: Record<string, unknown> = {
  'sessions.create': { workflow_id: 'wf_identity' },
  'sessions.updateStatus': { status: 'DECLINED' },
  'checks.idVerification': { front_image: image },
  'checks.liveness': { image },
  'checks.faceMatch': { image1: image, image2: image },
  'checks.age': { dob: '1990-01-01', bands: [18] },
  'checks.credential': { license_state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' },
  'checks.kycCredential': {
    front_image: image,
    selfie: image,
    license_type: 'Registered Nurse',
    license_state: 'CA',
    license_number: 'RN-482913',
  },
  'checks.location': { latitude: 1, longitude: 2 },
  'workflows.create': { name: 'Age', features: ['age'] },
  'workflows.update': { name: 'Renamed' },
  'antispoof.check': { image },
  'antispoof.identity': { frames: [image, image, image] },
  'faceUniqueness.check': { image },
}

it.each(verificationEndpoints.map((endpoint) => [endpoint.operation, endpoint] as const))(
  'serves %s with an answer of the declared shape',
  async (operation, endpoint) => {
    const { emulator, call, session } = emulated()
    const { session_id } = await session()
    const { data: face } = await call('POST', '/api/v2/face-uniqueness', { json: { image } })
    const id = operation.startsWith('workflows') ? 'wf_identity' : session_id
    const path = endpoint.path
      .replace('{id}', id)
      .replace('{state}', 'CA')
      .replace('{svc_uuid}', (face as { svc_uuid: string }).svc_uuid)

    const reply = await call(endpoint.method, path, endpoint.body && { json: bodies[operation] })

    expect(reply).toMatchObject({ status: 200, success: true, error: null })
    const payload = endpoint.unwrap ? (reply.data as Record<string, unknown>)[endpoint.unwrap] : reply.data
    expect(endpoint.response.issues(payload)).toEqual([])
    expect(emulator.requests.at(-1)?.operation).toBe(operation)
  },
)

it('answers an unknown path with 404 endpoint_not_found in the envelope', async () => {
  const { call } = emulated()

  for (const [method, path] of [
    ['GET', '/api/v2/unknown'],
    ['PUT', '/api/v2/session'],
    ['GET', '/'],
  ] as const) {
    const reply = await call(method, path)
    expect(reply).toMatchObject({
      status: 404,
      success: false,
      data: null,
      error: { code: 'endpoint_not_found' },
    })
  }
})

it('says on every response that it is the emulator, and gives it an id of its own', async () => {
  const { emulator, session } = emulated()
  const { url } = await session()
  emulator.faults.add({ match: 'workflows.list', status: 503 })

  const responses = await Promise.all(
    [
      requestOf('GET', '/api/v2/session'),
      requestOf('GET', '/api/v2/session', { headers: { 'x-api-key': 'wrong' } }),
      requestOf('GET', '/unknown'),
      requestOf('GET', '/api/v2/workflows'),
      requestOf('POST', '/api/v2/session', { json: { ttl_seconds: 0 } }),
      new Request(url),
    ].map((request) => emulator.fetch(request)),
  )

  expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 503, 400, 200])
  expect(responses.map(({ headers }) => headers.get('x-emulator'))).toEqual(Array(6).fill('1'))
  const ids = responses.map(({ headers }) => headers.get('x-request-id'))
  expect(new Set(ids).size).toBe(6)
  expect(emulator.requests.slice(1).map(({ requestId }) => requestId)).toEqual(ids)
})

it.each([
  ['X-API-Key', { 'x-api-key': 'emulator_api_key' }, 200],
  ['a bearer token', { authorization: 'Bearer emulator_api_key' }, 200],
  ['no key', {}, 401],
  ['another key', { 'x-api-key': 'emulator_api_keys' }, 401],
  ['another bearer token', { authorization: 'Bearer nothing' }, 401],
  ['another scheme', { authorization: 'Basic emulator_api_key' }, 401],
  [
    'a wrong X-API-Key beside a right bearer token',
    { 'x-api-key': 'x', authorization: 'Bearer emulator_api_key' },
    401,
  ],
])('knows who calls: %s', async (_, headers, status) => {
  const { emulator } = emulated()

  const response = await emulator.fetch(new Request(`${origin}/api/v2/session`, { headers }))

  expect(response.status).toBe(status)
  if (status === 401) expect(await response.json()).toMatchObject({ error: { code: 'invalid_api_key' } })
})

it('refuses a body that is not what the operation takes', async () => {
  const { emulator, call } = emulated()
  const send = (contentType: string, body: string | Uint8Array<ArrayBuffer>) =>
    emulator.fetch(
      new Request(`${origin}/api/v2/age-verification`, {
        method: 'POST',
        headers: { 'x-api-key': 'emulator_api_key', 'content-type': contentType },
        body,
      }),
    )
  const age = JSON.stringify({ dob: '1990-01-01', bands: [] })

  const replies = [
    await send('text/plain', age),
    await send('application/x-www-form-urlencoded', 'dob=1990-01-01'),
    await send('application/json', '{"dob":'),
    await send('application/json', '[]'),
    await send('application/json', 'null'),
    await send('application/json', new Uint8Array([0x22, 0xff, 0x22])),
  ]

  expect(replies.map(({ status }) => status)).toEqual(Array(6).fill(400))
  expect(await replies[0]?.json()).toMatchObject({ error: { code: 'validation_error' } })
  const form = await call('POST', '/api/v2/age-verification', { form: formOf('dob') })
  expect(form).toMatchObject({ status: 400, error: { code: 'validation_error' } })
  expect((await send('application/json; charset=utf-8', age)).status).toBe(200)
})

it('names each field that is wrong', async () => {
  const { post } = emulated()

  const { error } = await post('/api/v2/age-verification', { bands: [true] })

  expect(error).toEqual({
    code: 'validation_error',
    message: 'dob: is required; bands.0: must be a whole number or a band such as "18+"',
  })
})

it('takes the documented aliases of a field, and prefers the canonical spelling', async () => {
  const { post } = emulated()
  const path = '/api/v2/credential-verification'

  const alias = await post(path, { state: 'CA', license_no: 'RN-482913', license_type: 'Registered Nurse' })
  const both = await post(path, {
    license_state: 'CA',
    state: 'NY',
    license_number: 'RN-482913',
    license_no: 'other',
    license_type: 'Registered Nurse',
  })

  expect([alias.status, both.status]).toEqual([200, 200])
  expect(both.data).toMatchObject({ check: { data: { found: true } } })
})

it('refuses a body that is larger than any that the contract allows', async () => {
  const { emulator } = emulated()
  const megabyte = new Uint8Array(1024 * 1024)
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 1
      controller.enqueue(megabyte)
    },
  })

  const init = { method: 'POST', headers: { 'x-api-key': 'emulator_api_key' }, body, duplex: 'half' } as const
  const response = await emulator.fetch(new Request(`${origin}/api/v2/liveness`, init))

  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ error: { code: 'image_too_large' } })
  expect(sent).toBeLessThan(110)
})

it('tells a mistake of its own as one', async () => {
  const { call } = emulated({ licenses: [null as never] })

  const reply = await call('POST', '/api/v2/credential-verification', { json: bodies['checks.credential'] })

  expect(reply).toMatchObject({
    status: 500,
    error: { code: 'internal_error', message: expect.stringContaining('The emulator itself failed') },
  })
})
