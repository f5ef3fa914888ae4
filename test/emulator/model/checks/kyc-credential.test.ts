import { expect, it } from 'vitest'
import { nurse } from '../../support/checks.ts'
import { form, photo, photoBase64 } from '../../support/images.ts'
import { type Check, overHttp } from '../../support/service.ts'

// Sections 2.5 and 4.3: the combined check

const path = '/api/v2/kyc-credential'

interface CombinedResult {
  readonly session_id: string
  readonly status: string
  readonly identity: { readonly name: string; readonly dob: string }
  readonly checks: readonly Check[]
}

const images = { front_image: photo, selfie: photo }

it('accepts a form with the aliases of its fields', async () => {
  const { call } = await overHttp()
  const aliases = { provider_code: 'EMU-CA-NURSING', state: 'CA', license_no: 'RN-482913' }

  const { status, data } = await call<CombinedResult>('POST', path, { body: form({ ...images, ...aliases }) })

  expect([status, data.status]).toEqual([200, 'passed'])
})

it.each([
  { license_type: 'EMU-CA-NURSING' },
  { provider_code: 'Registered Nurse' },
  { license_type: 'EMU-CA-NURSING', provider_code: 'Registered Nurse' },
])('accepts license_type and provider_code for each other: %j', async (kind) => {
  const { post } = await overHttp()
  const images = { front_image: photoBase64, selfie: photoBase64 }

  const { status, data } = await post<CombinedResult>(path, {
    ...images,
    ...kind,
    license_state: 'CA',
    license_number: 'RN-482913',
  })

  expect([status, data.status]).toEqual([200, 'passed'])
})

it.each([
  ['failed', 'id_verification', 'failed'],
  ['failed', 'liveness', 'failed'],
  ['failed', 'face_match', 'failed'],
  ['review', 'face_match', 'review'],
  ['failed', 'credential', 'failed'],
] as const)('has the status %s if the check %s has the status %s', async (overall, type, status) => {
  const { emulator, call } = await overHttp()
  emulator.checks.script(type, status)

  const response = await call<CombinedResult>('POST', path, { body: form({ ...images, ...nurse }) })

  expect([response.status, response.data.status]).toEqual([200, overall])
  expect(response.data.checks).toContainEqual(expect.objectContaining({ type, status }))
})

it('returns 400 license_not_found if no board has the license', async () => {
  const { call } = await overHttp()

  const { status, error } = await call('POST', path, {
    body: form({ ...images, ...nurse, license_number: 'RN-1' }),
  })

  expect([status, error?.code]).toEqual([400, 'license_not_found'])
})
