import { expect, it } from 'vitest'
import { organizationEndpoints } from '../../../src/contract/organization/endpoints.ts'
import { verificationEndpoints } from '../../../src/contract/verification/endpoints.ts'
import { sampleData, sampleIds } from '../../support/sample-data.ts'
import { adult } from '../support/checks.ts'
import { photoBase64 as image } from '../support/images.ts'
import { overHttp } from '../support/service.ts'

/** A license of the person on every ID that the emulator reads. */
const nurse = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }

/** A valid body for each operation that takes one. */
const bodies: Readonly<Record<string, unknown>> = {
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
    const { emulator, call, post, session } = await overHttp(sampleData)
    const { session_id } = await session()
    const { svc_uuid } = (await post<{ svc_uuid: string }>('/api/v2/face-uniqueness', { image })).data
    const id = operation.includes('.workflows.') ? sampleIds.workflow : session_id
    const ids: Readonly<Record<string, string | undefined>> = { ...sampleIds, id, svc_uuid }
    const path = endpoint.path.replace(
      /\{(\w+)\}/g,
      (_, name: string) =>
        ids[name] ??
        expect.fail(
          `${operation} needs an id for {${name}}: add it to sampleIds in test/support/sample-data.ts`,
        ),
    )
    const json = bodies[operation]
    const hasBody = json !== undefined || !('body' in endpoint)
    expect(hasBody, `${operation} needs a body: add it to bodies in ${thisFile}`).toBe(true)

    const { status, data, error } = await call(endpoint.method, path, { json })

    expect(
      emulator.requests.at(-1)?.operation,
      `${operation} has no route in the emulator: serve it in the file of its resource in src/emulator/routes/`,
    ).toBe(operation)
    expect(
      error,
      `${operation} rejects its sample: the body is in ${thisFile}, and what the emulator contains is in test/support/sample-data.ts`,
    ).toBeNull()
    expect(status).toBe(operation === 'members.add' ? 201 : 200)
    const payload = 'unwrap' in endpoint ? (data as Record<string, unknown>)[endpoint.unwrap] : data
    expect(
      endpoint.response.issues(payload),
      `${operation} returns another shape than its declaration: correct src/emulator/routes/ or src/contract/`,
    ).toEqual([])
  },
)

const thisFile = 'test/emulator/server/endpoints.test.ts'

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

it.each(['POST token', 'GET userinfo', 'GET licenses', 'GET verifications', 'POST refresh'])(
  'the removed legacy %s returns 410 endpoint_removed',
  async (line) => {
    const { call } = await overHttp()
    const [method = '', name] = line.split(' ')

    const { status, error } = await call(method, `/api/auth/tpsso/${name}`)

    expect([status, error?.code]).toEqual([410, 'endpoint_removed'])
  },
)
