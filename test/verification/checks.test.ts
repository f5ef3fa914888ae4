import { expect, it } from 'vitest'
import type { LicenseParams } from '../../src/verification.ts'
import {
  ageCheck,
  combined,
  credentialCheck,
  faceMatchCheck,
  idCheck,
  images,
  livenessCheck,
  locationCheck,
  standalone,
} from '../support/fixtures.ts'
import { ok, scriptedService } from '../support/scripted-service.ts'
import { formOf } from '../support/sent-request.ts'
import { testClient } from '../support/verification-client.ts'

const service = scriptedService()

const license = { license_state: 'CA', license_number: 'RN-1', license_type: 'Registered Nurse' }
const kyc = { front_image: images.png, selfie: images.jpeg, ...license }
const sentJson = () => service.requests[0]?.json()

const calls = {
  id_verification: [
    '/id-verification',
    (client) => client.checks.idVerification({ front_image: images.png }),
  ],
  liveness: ['/liveness', (client) => client.checks.liveness({ image: images.png })],
  face_match: [
    '/face-match',
    (client) => client.checks.faceMatch({ image1: images.png, image2: images.png }),
  ],
  age: ['/age-verification', (client) => client.checks.age({ dob: '2001-05-17', bands: [] })],
  credential: ['/credential-verification', (client) => client.checks.credential(license)],
  location: ['/location', (client) => client.checks.location()],
} satisfies Record<string, [string, (client: ReturnType<typeof testClient>['client']) => Promise<unknown>]>

const fixtures = {
  id_verification: idCheck,
  liveness: livenessCheck,
  face_match: faceMatchCheck,
  age: ageCheck,
  credential: credentialCheck,
  location: locationCheck,
}
const types = Object.keys(fixtures) as (keyof typeof fixtures)[]

it('returns all fields of an ID, including fields that are not in the contract', async () => {
  const check = idCheck()
  const more = {
    ...check.data,
    mrz: 'P<USA',
    fields: { ...check.data.fields, sex: 'F', issuing_state: null },
  }
  service.respondTo('POST /api/v2/id-verification', ok(standalone(idCheck({ data: more }))))
  const { client } = testClient({ responseValidation: 'strict' })

  const result = await client.checks.idVerification({ front_image: images.png })

  expect(result.check.data).toEqual(more)
  expect(result.check.data.authenticity?.score).toBe(0.97)
})

it('keeps the keys of the service for age bands, with null for an unparseable band', async () => {
  const bands = {
    is_18_plus: { verified: true, min_age: 18 },
    '21+': { verified: false, min_age: 21 },
    is_old: { verified: null, error: 'unknown_band' },
  }
  const check = ageCheck({ status: 'failed', data: { age: 20, dob: '2005-05-17', bands } })
  service.respondTo('POST /api/v2/age-verification', ok(standalone(check)))
  const { client } = testClient({ responseValidation: 'strict' })

  const result = await client.checks.age({ dob: '2005-05-17', bands: [18, '21+', 'is_18_plus'] })

  expect(result.check.data.bands).toEqual(bands)
  expect(result.check.score).toBeUndefined()
})

it('accepts an alias together with its canonical name if both have the same value', async () => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  const both: object = { state: 'CA', license_no: 'RN-1' }
  await client.checks.credential({ ...license, ...both })

  expect(await sentJson()).toEqual(license)
})

it('accepts the aliases of the combined check and sends the canonical names', async () => {
  service.respondTo('POST /api/v2/kyc-credential', ok(combined()))
  const { client } = testClient()

  const aliases = { state: 'NV', license_no: 'RN-1' }
  const params = { ...aliases, license_type: 'Registered Nurse', provider_code: 'NV-BRN' }
  await client.checks.kycCredential({
    front_image: images.png,
    selfie: images.jpeg,
    ...(params as object as LicenseParams),
  })

  const { front_image, selfie, ...texts } = await formOf(service.requests[0] as Request)
  expect(texts).toEqual({
    license_state: 'NV',
    license_number: 'RN-1',
    license_type: 'Registered Nurse',
    provider_code: 'NV-BRN',
  })
  expect([front_image, selfie]).toMatchObject([{ type: 'image/png' }, { type: 'image/jpeg' }])
})

it('returns the identity and every check of the combined check, including failed ones', async () => {
  const result = combined({
    status: 'failed',
    identity: { name: 'Ada Lovelace', dob: '1990-12-10', proofs: ['id'] },
    checks: [
      idCheck(),
      livenessCheck(),
      faceMatchCheck({ status: 'review' }),
      credentialCheck({ status: 'failed' }),
    ],
  })
  service.respondTo('POST /api/v2/kyc-credential', ok(result))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await client.checks.kycCredential(kyc)).toEqual(result)
})

it('returns checks of a type that is not in the contract', async () => {
  const unlisted = { type: 'voice', status: 'passed', data: { pitch: 'low' }, error: null }
  service.respondTo('POST /api/v2/kyc-credential', ok(combined({ checks: [unlisted] })))
  const { client } = testClient({ responseValidation: 'strict' })

  expect((await client.checks.kycCredential(kyc)).checks).toEqual([unlisted])
})

it.each([
  ['no params', undefined],
  ['no coordinates', { expected_latitude: 52.5, expected_longitude: 13.4, radius_m: 100 }],
  ['zeros', { latitude: 0, longitude: -0, accuracy: 0, radius_m: 0 }],
  ['numbers off the globe', { latitude: 1234.5, longitude: -999, accuracy: -1, radius_m: -5 }],
])('sends a location with %s, because the service decides what it means', async (_, params) => {
  const check = locationCheck({ status: 'failed', data: {}, error: { message: 'permission_denied' } })
  service.respondTo('POST /api/v2/location', ok(standalone(check)))
  const { client } = testClient({ responseValidation: 'strict' })

  const result = await client.checks.location(params)

  expect(result.status).toBe('failed')
  expect(await sentJson()).toEqual(JSON.parse(JSON.stringify(params ?? {})))
})

it.each(types)('sends params of a check that are not in the contract: %s', async (type) => {
  const [path] = calls[type]
  const more = { a_later_field: 'x' }
  service.respondTo(`POST /api/v2${path}`, ok(standalone(fixtures[type]())))
  const { client } = testClient()
  const params = { image: images.png, image1: images.png, image2: images.png, front_image: images.png }

  const sends: Record<typeof type, () => Promise<unknown>> = {
    id_verification: () => client.checks.idVerification({ front_image: images.png, ...more }),
    liveness: () => client.checks.liveness({ image: images.png, ...more }),
    face_match: () => client.checks.faceMatch({ ...params, ...more }),
    age: () => client.checks.age({ dob: '2001-05-17', bands: [], ...more }),
    credential: () => client.checks.credential({ ...license, ...more }),
    location: () => client.checks.location({ ...more } as object),
  }
  await sends[type]()

  const request = service.requests[0] as Request
  const isForm = request.headers.get('content-type')?.startsWith('multipart/')
  expect(isForm ? await formOf(request) : await request.json()).toMatchObject(more)
})
