import { expect, it } from 'vitest'
import { form, listening, photo, photoBase64 } from './over-http.ts'

/** The licence of the person that every ID of the emulator belongs to. */
const nurse = { license_state: 'CA', license_number: 'RN-482913', license_type: 'Registered Nurse' }
const holder = 'Alex Sample'

// Sections 2.5 and 4.3: the combined check

interface Combined {
  readonly session_id: string
  readonly status: string
  readonly identity: { readonly name: string; readonly dob: string }
  readonly checks: readonly { readonly type: string; readonly status: string; readonly data: object }[]
}

const images = { front_image: photo, selfie: photo }

it('the combined check answers with the identity and its four checks', async () => {
  const { call } = await listening()

  const { status, data } = await call<Combined>('POST', '/api/v2/kyc-credential', {
    body: form({ ...images, back_image: photo, ...nurse, npi: '1234567893' }),
  })

  expect(status).toBe(200)
  expect(data).toEqual({
    session_id: expect.stringMatching(/./),
    status: 'passed',
    identity: { name: holder, dob: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    checks: ['id_verification', 'liveness', 'face_match', 'credential'].map((type) =>
      expect.objectContaining({ type, status: 'passed' }),
    ),
  })
  expect(data.checks.at(-1)?.data).toMatchObject({ match: true })
})

it('the combined check takes base64 and the aliases of its fields', async () => {
  const { post } = await listening()

  const { status, data } = await post<Combined>('/api/v2/kyc-credential', {
    front_image: photoBase64,
    selfie: `data:image/png;base64,${photoBase64}`,
    provider_code: 'EMU-CA-NURSING',
    state: 'CA',
    license_no: 'RN-482913',
  })

  expect([status, data.status]).toEqual([200, 'passed'])
})

it('the combined check goes by the name on the ID, whatever the caller sends', async () => {
  const { emulator, call } = await listening()
  emulator.checks.script('id_verification', { data: { fields: { full_name: 'Robin Example' } } })

  const { data } = await call<Combined>('POST', '/api/v2/kyc-credential', {
    body: form({ ...images, ...nurse, full_name: holder, first_name: 'Alex', last_name: 'Sample' }),
  })

  expect(data).toMatchObject({ status: 'failed', identity: { name: 'Robin Example' } })
  expect(data.checks.at(-1)).toMatchObject({ type: 'credential', status: 'failed', data: { match: false } })
})

it.each(['id_verification', 'liveness', 'face_match'] as const)(
  'the combined check fails with its %s',
  async (type) => {
    const { emulator, call } = await listening()
    emulator.checks.script(type, 'failed')

    const { status, data } = await call<Combined>('POST', '/api/v2/kyc-credential', {
      body: form({ ...images, ...nurse }),
    })

    expect([status, data.status]).toEqual([200, 'failed'])
    expect(data.checks).toContainEqual(expect.objectContaining({ type, status: 'failed' }))
  },
)

it.each(['license_type', 'license_state', 'license_number'])(
  'the combined check without %s is 400 validation_error',
  async (missing) => {
    const { call } = await listening()
    const { [missing]: _, ...others }: Record<string, string> = nurse

    const { status, error } = await call('POST', '/api/v2/kyc-credential', {
      body: form({ ...images, ...others }),
    })

    expect([status, error?.code]).toEqual([400, 'validation_error'])
  },
)

it('the combined check with a licence that no board knows is 400 license_not_found', async () => {
  const { call } = await listening()

  const { status, error } = await call('POST', '/api/v2/kyc-credential', {
    body: form({ ...images, ...nurse, license_number: 'RN-1' }),
  })

  expect([status, error?.code]).toEqual([400, 'license_not_found'])
})
