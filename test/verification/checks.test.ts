import { expect, it } from 'vitest'
import { accountAgeThresholds, type CredentialParams, type LicenseParams } from '../../src/verification.ts'
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
import { errorResponse, ok, scriptedService } from '../support/scripted-service.ts'
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
const statuses = ['pending', 'running', 'passed', 'failed', 'review', 'a_future_status']

it.each(types.flatMap((type) => statuses.map((status) => ({ type, status }))))(
  'returns a $type check with status $status as a result',
  async ({ type, status }) => {
    const [path, call] = calls[type]
    const result = standalone(fixtures[type]({ status }))
    service.respondTo(`POST /api/v2${path}`, ok(result))
    const { client } = testClient({ responseValidation: 'strict' })

    expect(await call(client)).toEqual(result)
  },
)

it.each([
  ['an object', { message: 'blurred', field: 'front_image' }],
  ['a string', 'outside the radius'],
  ['null', null],
  ['absent', undefined],
])('keeps the error of a check if it is %s', async (_, error) => {
  service.respondTo('POST /api/v2/liveness', ok(standalone(livenessCheck({ status: 'failed', error }))))
  const { client } = testClient({ responseValidation: 'strict' })

  const { check } = await client.checks.liveness({ image: images.png })

  expect(check.error).toEqual(error)
})

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

it('returns the status of the service for liveness, independent of live_score', async () => {
  const check = livenessCheck({ status: 'failed', score: 1, data: { live_score: 1, result: 'replay' } })
  service.respondTo('POST /api/v2/liveness', ok(standalone(check)))
  const { client } = testClient()

  expect(await client.checks.liveness({ image: images.png })).toMatchObject({ status: 'failed', check })
})

it.each([
  [0.8, 0.7, 'passed'],
  [0.96, 0.99, 'failed'],
])(
  'returns the similarity %d and the threshold %d that the service sent for a face match',
  async (similarity, threshold, status) => {
    const check = faceMatchCheck({ status, data: { similarity, threshold } })
    service.respondTo('POST /api/v2/face-match', ok(standalone(check)))
    const { client } = testClient()

    const result = await client.checks.faceMatch({ image1: images.png, image2: images.png })

    expect(result.status).toBe(status)
    expect(result.check.data).toEqual({ similarity, threshold })
  },
)

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

it.each([
  ['no bands, which means 18', []],
  ['bands that account mode does not support', [17, '99+']],
  ['a band that cannot be parsed', ['adult']],
])('sends bands unchanged: %s', async (_, bands) => {
  service.respondTo('POST /api/v2/age-verification', ok(standalone(ageCheck())))
  const { client } = testClient()

  await client.checks.age({ dob: '17 May 2001', bands: bands as never })

  expect(await sentJson()).toEqual({ dob: '17 May 2001', bands })
})

it('accountAgeThresholds lists the thresholds of account mode', () => {
  expect(accountAgeThresholds).toEqual([16, 18, 21, 30, 65])
})

it.each([
  ['both', { license_type: 'Registered Nurse', provider_code: 'CA-BRN' }],
  ['only the type', { license_type: 'Registered Nurse' }],
  ['only the board', { provider_code: 'CA-BRN' }],
])('sends the board and the type of a licence under separate names: %s', async (_, kind) => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  await client.checks.credential({ license_state: 'CA', license_number: 'RN-1', ...kind } as typeof license)

  expect(await sentJson()).toEqual({ license_state: 'CA', license_number: 'RN-1', ...kind })
})

it('accepts the aliases of a licence check and sends the canonical names', async () => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  const params = { state: 'NV', license_no: 'RN-1', provider_code: 'NV-BRN' }
  await client.checks.credential(params as object as CredentialParams)

  expect(await sentJson()).toEqual({ license_state: 'NV', license_number: 'RN-1', provider_code: 'NV-BRN' })
})

it('accepts an alias together with its canonical name if both have the same value', async () => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  const both: object = { state: 'CA', license_no: 'RN-1' }
  await client.checks.credential({ ...license, ...both })

  expect(await sentJson()).toEqual(license)
})

it.each([' RN 12.345/B-7 ', 'rn#1', '００１', '0'])(
  'sends the licence number %j verbatim',
  async (number) => {
    service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
    service.respondTo('POST /api/v2/kyc-credential', ok(combined()))
    const { client } = testClient()

    await client.checks.credential({ ...license, license_number: number })
    await client.checks.kycCredential({ ...kyc, license_number: number })

    expect(await sentJson()).toMatchObject({ license_number: number })
    expect(await formOf(service.requests[1] as Request)).toMatchObject({ license_number: number })
  },
)

it.each([
  ['no name, which means a search', {}],
  ['a full name', { full_name: 'Ada Lovelace' }],
  ['a first and a last name', { first_name: 'Ada', last_name: 'Lovelace' }],
  ['an access token', { svc_access_token: 'access-token' }],
])('sends a licence check with %s', async (_, holder) => {
  service.respondTo('POST /api/v2/credential-verification', ok(standalone(credentialCheck())))
  const { client } = testClient()

  await client.checks.credential({ ...license, ...holder } as typeof license)

  expect(await sentJson()).toEqual({ ...license, ...holder })
})

it.each([
  ['a hit', { mode: 'search', found: true, match: null }, 'passed'],
  ['a miss', { mode: 'search', found: false, match: null }, 'failed'],
  ['a licence of another person', { mode: 'verify', match: false }, 'failed'],
  ['a mode that is not in the contract', { mode: 'account', match: true }, 'passed'],
])('returns the result of a licence check unchanged: %s', async (_, data, status) => {
  const result = standalone(credentialCheck({ status, data }))
  service.respondTo('POST /api/v2/credential-verification', ok(result))
  const { client } = testClient({ responseValidation: 'strict' })

  expect(await client.checks.credential(license)).toEqual(result)
})

it.each([
  [400, 'BadRequestError'],
  [404, 'NotFoundError'],
])('throws license_not_found with status %d', async (status, name) => {
  service.respondTo('POST /api/v2/credential-verification', errorResponse(status, 'license_not_found'))
  const { client } = testClient()

  await expect(client.checks.credential(license)).rejects.toMatchObject({ name, code: 'license_not_found' })
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
  ['true inside the radius', 'passed', { match: true, distance_m: 12.25, radius_m: 100 }],
  ['false outside the radius', 'failed', { match: false, distance_m: 120.5, radius_m: 100 }],
  ['null without a radius', 'passed', { match: null, distance_m: 120.5 }],
  ['absent without an expected point', 'passed', {}],
])('returns a location match as %s', async (_, status, match) => {
  const data = { latitude: 52.52, longitude: 13.405, accuracy: 5, source: 'gps', ...match }
  service.respondTo('POST /api/v2/location', ok(standalone(locationCheck({ status, data }))))
  const { client } = testClient({ responseValidation: 'strict' })

  const result = await client.checks.location({ latitude: 52.52, longitude: 13.405, accuracy: 5 })

  expect(result.check.data).toEqual(data)
  expect('match' in result.check.data).toBe('match' in match)
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
