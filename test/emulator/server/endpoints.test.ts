import { expect, it } from 'vitest'
import { organizationEndpoints } from '../../../src/contract/organization/endpoints.ts'
import { verificationEndpoints } from '../../../src/contract/verification/endpoints.ts'
import { adult, nurse } from '../support/checks.ts'
import { photoBase64 as image } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

/** A valid body for each operation that takes one. */
const bodies: Record<string, unknown> = {
  'sessions.create': { workflow_id: 'wf_identity' },
  'sessions.updateStatus': { status: 'DECLINED' },
  'checks.idVerification': { front_image: image },
  'checks.liveness': { image },
  'checks.faceMatch': { image1: image, image2: image },
  'checks.age': adult,
  'checks.credential': nurse,
  'checks.kycCredential': { front_image: image, selfie: image, ...nurse },
  'checks.location': { latitude: 1, longitude: 2 },
  'experimental.workflows.create': { name: 'Age', features: ['age'] },
  'experimental.workflows.update': { name: 'Renamed' },
  'experimental.antispoof.check': { image },
  'experimental.antispoof.identity': { frames: [image, image, image] },
  'experimental.faceUniqueness.check': { image },
  'members.resolve': { email: 'ada@example.com' },
  'members.add': { members: [{ email: 'new@example.com' }] },
}

it.each([...verificationEndpoints, ...organizationEndpoints].map((one) => [one.operation, one] as const))(
  '%s is served with a response of the declared shape',
  async (operation, endpoint) => {
    const { emulator, call, post, session } = await overHttp({
      members: [{ email: 'ada@example.com', status: 'link_sent' }],
    })
    const { session_id } = await session()
    const { svc_uuid } = (await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image })).data
    const path = endpoint.path
      .replace('{id}', operation.includes('.workflows.') ? 'wf_identity' : session_id)
      .replace('{state}', 'CA')
      .replace('{svc_uuid}', svc_uuid)
      .replace('{member_id}', 'ada@example.com')

    const { status, data } = await call(endpoint.method, path, { json: bodies[operation] })

    expect(status).toBe(operation === 'members.add' ? 201 : 200)
    const payload = 'unwrap' in endpoint ? (data as Record<string, unknown>)[endpoint.unwrap] : data
    expect(endpoint.response.issues(payload)).toEqual([])
    expect(emulator.requests.at(-1)?.operation).toBe(operation)
  },
)

// The contract lists this code without a status.
it.each([
  ['GET', '/api/v2/no-such-path'],
  ['PUT', '/api/v2/session'],
  ['GET', '/api/v2/liveness'],
  ['GET', '/api/sdk/no-such-path'],
  ['POST', '/api/v1/session'],
  ['GET', '/'],
])('%s %s returns 404 endpoint_not_found', async (method, path) => {
  const { call } = await overHttp()

  const { status, data, error } = await call(method, path)

  expect([status, data, error?.code]).toEqual([404, null, 'endpoint_not_found'])
})
