import { expect, it } from 'vitest'
import { form, listening, photo, photoBase64 } from './over-http.ts'
import type { Result } from './standalone-result.ts'

const dataUrl = `data:image/jpeg;base64,${photoBase64}`
const license = { license_type: 'Registered Nurse', license_state: 'CA', license_number: 'RN-482913' }

const passed = { status: 'passed', error: null }

// Sections 2.3, 2.5 and 4.3

const withImages: [path: string, type: string, images: readonly string[]][] = [
  ['/api/v2/id-verification', 'id_verification', ['front_image']],
  ['/api/v2/id-verification', 'id_verification', ['front_image', 'back_image']],
  ['/api/v2/liveness', 'liveness', ['image']],
  ['/api/v2/face-match', 'face_match', ['image1', 'image2']],
]

it.each(withImages)('%s answers a form with a %s check', async (path, type, images) => {
  const { call } = await listening()

  const { status, data } = await call<Result>('POST', path, {
    body: form(Object.fromEntries(images.map((name) => [name, photo]))),
  })

  expect(status).toBe(200)
  expect(data).toEqual({
    session_id: expect.stringMatching(/./),
    status: 'passed',
    check: { type, ...passed, score: expect.any(Number), data: expect.any(Object) },
  })
})

it.each(withImages)(
  '%s takes base64 and data URLs in JSON under the same names (%s)',
  async (path, type, images) => {
    const { post } = await listening()

    for (const image of [photoBase64, dataUrl]) {
      const { data } = await post<Result>(path, Object.fromEntries(images.map((name) => [name, image])))
      expect(data).toMatchObject({ status: 'passed', check: { type, ...passed } })
    }
  },
)

it.each([
  ['/api/v2/id-verification', ['front_image']],
  ['/api/v2/liveness', ['image']],
  ['/api/v2/face-match', ['image1', 'image2']],
  ['/api/v2/kyc-credential', ['front_image', 'selfie']],
] as const)('%s without one of its required images is 400 validation_error', async (path, images) => {
  const { call, post } = await listening()
  const others = path.endsWith('kyc-credential') ? license : {}

  for (const missing of images) {
    const kept = images.filter((name) => name !== missing)
    const files = { ...others, ...Object.fromEntries(kept.map((name) => [name, photo])) }
    const texts = { ...others, ...Object.fromEntries(kept.map((name) => [name, photoBase64])) }
    // A form needs a part to be one.
    const answers = [
      await call('POST', path, { body: form({ note: 'x', ...files }) }),
      await post(path, texts),
    ]
    for (const { status, error } of answers)
      expect([status, error?.code, error?.message]).toEqual([
        400,
        'validation_error',
        expect.stringContaining(missing),
      ])
  }
})

it.each(['not base64 at all!', 'https://elsewhere.example/selfie.jpg', 42, null])(
  'an image that is neither base64 nor a data URL is 400 validation_error: %j',
  async (image) => {
    const { post } = await listening()

    const { status, error } = await post('/api/v2/liveness', { image })

    expect([status, error?.code]).toEqual([400, 'validation_error'])
  },
)

it('an ID verification has the fields, the portrait, the date of birth and the authenticity', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/id-verification', { front_image: photoBase64 })

  const day = expect.stringMatching(/^\d{4}-\d\d-\d\d$/)
  const text = expect.stringMatching(/./)
  expect(data.check.data).toEqual({
    fields: {
      full_name: text,
      document_number: text,
      date_of_birth: day,
      date_of_expiry: day,
      issuing_state: text,
      country: text,
      document_type: text,
    },
    portrait: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/),
    dob: day,
    authenticity: { score: expect.any(Number) },
  })
})

it('a liveness check passes with a live_score of 1, and its result is a text', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/liveness', { image: photoBase64 })

  expect(data.check.data).toEqual({ live_score: 1, result: expect.any(String) })
})

it.each([0, 0.5, 0.999])(
  'a liveness check with a live_score of %d fails, which is a result',
  async (live_score) => {
    const { emulator, post } = await listening()
    emulator.checks.script('liveness', { data: { live_score } })

    const { status, data } = await post<Result>('/api/v2/liveness', { image: photoBase64 })

    expect(status).toBe(200)
    expect(data).toMatchObject({ status: 'failed', check: { status: 'failed', data: { live_score } } })
    expect(data.check.error).toEqual({ message: expect.stringMatching(/./) })
  },
)

it.each([
  [0.95, 'passed'],
  [1, 'passed'],
  [0.9499, 'failed'],
  [0, 'failed'],
])('a face match with a similarity of %d has %s: the threshold is 0.95', async (similarity, status) => {
  const { emulator, post } = await listening()
  emulator.checks.script('face_match', { data: { similarity } })

  const { data } = await post<Result>('/api/v2/face-match', { image1: photoBase64, image2: photoBase64 })

  expect(data).toMatchObject({ status, check: { status, data: { similarity, threshold: 0.95 } } })
})

it('a face match is symmetric', async () => {
  const { post } = await listening()
  const [one, other] = [photoBase64, Buffer.from('other').toString('base64')]
  const compare = async (image1: string, image2: string) =>
    (await post<Result>('/api/v2/face-match', { image1, image2 })).data.check

  expect(await compare(one, other)).toEqual(await compare(other, one))
})

it.each(['passed', 'failed', 'review'] as const)(
  'a standalone check can end as %s, told twice',
  async (status) => {
    const { emulator, post } = await listening()
    emulator.checks.script('id_verification', status)

    const { data } = await post<Result>('/api/v2/id-verification', { front_image: photoBase64 })

    expect([data.status, data.check.status]).toEqual([status, status])
  },
)

it('each result has a session_id of its own', async () => {
  const { post } = await listening()
  const idOf = async () => (await post<Result>('/api/v2/location', {})).data.session_id

  expect(await idOf()).not.toBe(await idOf())
})
