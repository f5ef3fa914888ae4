import { expect, it } from 'vitest'
import type { Checks, ImageRequestOptions, LicenseParams } from '../../src/index.ts'
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

it.each<
  [
    path: string,
    check: { readonly status: string },
    send: (checks: Checks, options: ImageRequestOptions) => Promise<unknown>,
  ]
>([
  ['id-verification', idCheck(), (checks, options) => checks.idVerification({ front_image: images.png }, options)],
  ['liveness', livenessCheck(), (checks, options) => checks.liveness({ image: images.png }, options)],
  [
    'face-match',
    faceMatchCheck(),
    (checks, options) => checks.faceMatch({ image1: images.png, image2: images.png }, options),
  ],
  ['age-verification', ageCheck(), (checks, options) => checks.age({ dob: '2001-05-17', bands: [] }, options)],
  ['credential-verification', credentialCheck(), (checks, options) => checks.credential(license, options)],
  ['location', locationCheck(), (checks, options) => checks.location({}, options)],
])('sends extraParams of a check next to its params: %s', async (path, check, send) => {
  const more = { a_later_field: 'x' }
  service.respondTo(`POST /api/v2/${path}`, ok(standalone(check)))

  await send(testClient().client.checks, { extraParams: more })

  const request = service.requests[0] as Request
  const isForm = request.headers.get('content-type')?.startsWith('multipart/')
  expect(isForm ? await formOf(request) : await request.json()).toMatchObject(more)
})
