import { expect, it } from 'vitest'
import { billableChecks, type CheckResult, holder, nurse } from '../../support/checks.ts'
import { form, images, photo, photoBase64, photoDataUrl } from '../../support/images.ts'
import { inProcess } from '../../support/service.ts'

// Sections 2.3, 2.5 and 4.3: the result of each check

const text = expect.any(String)
const number = expect.any(Number)
const license = { license_number: text, status: text, issued_at: text, expires_at: text, specialty: text }
const fields = {
  full_name: holder,
  document_number: text,
  date_of_birth: text,
  date_of_expiry: text,
  issuing_state: text,
  country: text,
  document_type: text,
}
const portrait = expect.stringMatching(/^[\w+/]+=*$/)

const idVerification = {
  type: 'id_verification',
  status: 'passed',
  score: number,
  data: { fields, portrait, dob: text, authenticity: { score: number } },
  error: null,
}
const liveness = {
  type: 'liveness',
  status: 'passed',
  score: number,
  data: { live_score: 1, result: text },
  error: null,
}
const faceMatch = {
  type: 'face_match',
  status: 'passed',
  score: number,
  data: { similarity: number, threshold: 0.95 },
  error: null,
}
const credential = {
  type: 'credential',
  status: 'passed',
  data: { mode: 'verify', match: true, license },
  error: null,
}
const fix = {
  latitude: 1,
  longitude: 2,
  accuracy: 3,
  expected_latitude: 1,
  expected_longitude: 2,
  radius_m: 5,
}

it.each<[path: string, body: object, check: object]>([
  ['id-verification', { front_image: photoBase64, back_image: photoBase64 }, idVerification],
  ['liveness', { image: photoBase64 }, liveness],
  ['face-match', { image1: photoBase64, image2: photoBase64 }, faceMatch],
  [
    'age-verification',
    { dob: '1990-04-12', bands: ['18+'] },
    {
      type: 'age',
      status: 'passed',
      data: { age: 35, dob: '1990-04-12', bands: { '18+': { verified: true, min_age: 18 } } },
      error: null,
    },
  ],
  ['credential-verification', { ...nurse, full_name: holder }, credential],
  [
    'location',
    fix,
    {
      type: 'location',
      status: 'passed',
      data: { ...fix, source: 'gps', captured_at: '2026-03-01T12:00:00.000Z', distance_m: 0, match: true },
      error: null,
    },
  ],
])('%s returns session_id, status and a check with all documented members', async (path, body, check) => {
  const { data } = await inProcess().post(`/api/v2/${path}`, body)

  expect(data).toEqual({ session_id: text, status: 'passed', check })
})

it('kyc-credential returns the identity on the ID, and four checks', async () => {
  const body = {
    ...nurse,
    npi: '1234567893',
    ...images(['front_image', 'back_image', 'selfie'], photoBase64),
  }

  const { data } = await inProcess().post('/api/v2/kyc-credential', body)

  expect(data).toEqual({
    session_id: text,
    status: 'passed',
    identity: { name: holder, dob: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) },
    checks: [idVerification, liveness, faceMatch, credential],
  })
})

it('kyc-credential compares the license with the name on the ID, never with a name that is sent', async () => {
  const outcomes = { id_verification: { data: { fields: { full_name: 'Robin Example' } } } }
  const body = { ...nurse, ...images(['front_image', 'selfie'], photoBase64), full_name: holder }

  const { data } = await inProcess({ outcomes }).post<{ checks: object[] }>('/api/v2/kyc-credential', body)

  expect(data.checks.at(-1)).toMatchObject({ type: 'credential', status: 'failed', data: { match: false } })
})

it.each(['license_type', 'license_state', 'license_number'])(
  'kyc-credential rejects a request without %s with 400 validation_error',
  async (name) => {
    const body = { ...nurse, ...images(['front_image', 'selfie'], photoBase64), [name]: undefined }

    const { status, error } = await inProcess().post('/api/v2/kyc-credential', body)

    expect([status, error?.code, error?.message]).toEqual([400, 'validation_error', expect.stringContaining(name)])
  },
)

it.each([
  ['liveness', { live_score: 1 }, 'passed'],
  ['liveness', { live_score: 0.9999 }, 'failed'],
  ['face_match', { similarity: 0.95, threshold: 0.95 }, 'passed'],
  ['face_match', { similarity: 0.949, threshold: 0.95 }, 'failed'],
] as const)('%s with %j is %s, as a result and not as an error', async (type, data, status) => {
  const { post } = inProcess({ outcomes: { [type]: { data } } })
  const path = type.replace('_', '-')

  const names = type === 'liveness' ? ['image'] : ['image1', 'image2']
  const response = await post<CheckResult>(`/api/v2/${path}`, images(names, photoBase64))

  expect(response).toMatchObject({ status: 200, data: { status, check: { status, data } } })
  expect(response.data.check.error).toEqual(status === 'failed' ? { message: text } : null)
})

const withImages = [
  ['id-verification', ['front_image', 'back_image']],
  ['liveness', ['image']],
  ['face-match', ['image1', 'image2']],
  ['kyc-credential', ['front_image', 'back_image', 'selfie']],
] as const

it.each(withImages)('%s accepts %j as files, as base64 and as data URLs', async (path, names) => {
  const { call } = inProcess()
  const others = path === 'kyc-credential' ? nurse : {}

  for (const sent of [
    { body: form({ ...others, ...images(names, photo) }) },
    { json: { ...others, ...images(names, photoBase64) } },
    { json: { ...others, ...images(names, photoDataUrl) } },
  ])
    expect(await call('POST', `/api/v2/${path}`, sent)).toMatchObject({
      status: 200,
      data: { status: 'passed' },
    })
})

it.each(billableChecks)('%s runs and charges once for one Idempotency-Key', async (path, body) => {
  const { emulator, post } = inProcess()

  const [first, second] = [await post(path, body, { key: 'order-1' }), await post(path, body, { key: 'order-1' })]

  expect(second.data).toEqual(first.data)
  expect(emulator.ledger).toHaveLength(1)
})
