import { expect, it } from 'vitest'
import { form, listening, photo, photoBase64, start } from './over-http.ts'

interface Check {
  readonly type: string
  readonly status: string
  readonly score?: number
  readonly data: Readonly<Record<string, unknown>>
  readonly error: Readonly<Record<string, unknown>> | null
}

interface Result {
  readonly session_id: string
  readonly status: string
  readonly check: Check
}

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

// Section 4.3: age

it.each([18, '18', '18+', 'is_18_plus'])('the band %j asks for 18 years', async (band) => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/age-verification', { dob: '2000-02-29', bands: [band] })

  expect(data.status).toBe('passed')
  expect(data.check).toEqual({
    type: 'age',
    ...passed,
    data: { age: 26, dob: '2000-02-29', bands: { [String(band)]: { verified: true, min_age: 18 } } },
  })
})

it('no band asks for is_18_plus', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/age-verification', { dob: '2010-01-01', bands: [] })

  expect(data.check).toMatchObject({
    status: 'failed',
    data: { age: 16, bands: { is_18_plus: { verified: false, min_age: 18 } } },
  })
})

it.each([
  ['2008-03-01', true],
  ['2008-03-02', false],
])('who was born on %s is 18 on 1 March 2026: %s', async (dob, verified) => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/age-verification', { dob, bands: [18] })

  expect(data.check.data).toMatchObject({ age: verified ? 18 : 17, bands: { 18: { verified } } })
})

it('an age check passes only if every band is verified, and answers any band', async () => {
  const { post } = await listening()
  const check = async (bands: unknown[]) =>
    (await post<Result>('/api/v2/age-verification', { dob: '2000-01-01', bands })).data

  expect((await check([16, '19+', 'is_26_plus'])).status).toBe('passed')
  const mixed = await check([16, 27])
  expect(mixed.status).toBe('failed')
  expect(mixed.check.data.bands).toEqual({
    16: { verified: true, min_age: 16 },
    27: { verified: false, min_age: 27 },
  })
})

it.each(['adult', '18-21', 'is_old'])(
  'the band %j cannot be read: unknown_band, and the check fails',
  async (band) => {
    const { post } = await listening()

    const { status, data } = await post<Result>('/api/v2/age-verification', {
      dob: '1950-01-01',
      bands: [18, band],
    })

    expect([status, data.status]).toEqual([200, 'failed'])
    expect(data.check.data.bands).toEqual({
      18: { verified: true, min_age: 18 },
      [band]: { verified: null, error: 'unknown_band' },
    })
  },
)

it.each([
  ['no dob', { bands: [18] }],
  ['no bands', { dob: '2000-01-01' }],
  ['a dob that is no date', { dob: 'yesterday', bands: [18] }],
  ['a day that does not exist', { dob: '2001-02-29', bands: [18] }],
  ['bands that are no list', { dob: '2000-01-01', bands: '18' }],
])('an age check with %s is 400 validation_error', async (_, body) => {
  const { post } = await listening()

  const { status, error } = await post('/api/v2/age-verification', body)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

// Section 4.3: location

const here = { latitude: 52.52, longitude: 13.405 }
/** About 111 m south of it. */
const target = { expected_latitude: 52.519, expected_longitude: 13.405 }

it('a location without an expected point is captured, and matches nothing', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, accuracy: 12.5 })

  expect(data.check).toEqual({
    type: 'location',
    ...passed,
    data: { ...here, accuracy: 12.5, source: 'gps', captured_at: expect.any(String) },
  })
  expect(new Date(String(data.check.data.captured_at))).toEqual(start)
})

it('an expected point without a radius has its distance reported, and match null', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, ...target })

  expect(data).toMatchObject({ status: 'passed', check: { ...passed, data: { ...target, match: null } } })
  expect(data.check.data.distance_m).toBeCloseTo(111.19, 0)
})

it('inside the radius is passed and match true', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, ...target, radius_m: 120 })

  expect(data).toMatchObject({ status: 'passed', check: { ...passed, data: { radius_m: 120, match: true } } })
})

it('outside the radius is failed and match false, and the error tells the distance', async () => {
  const { post } = await listening()

  const { status, data } = await post<Result>('/api/v2/location', { ...here, ...target, radius_m: 100 })

  expect(status).toBe(200)
  expect(data).toMatchObject({ status: 'failed', check: { status: 'failed', data: { match: false } } })
  expect(data.check.error?.message).toMatch(/111(\.\d+)? m\b/)
})

it.each([
  ['no coordinates', {}],
  ['no longitude', { latitude: 52.52 }],
  ['no latitude', { longitude: 13.405 }],
  ['nothing but the expected point', { ...target, radius_m: 1000 }],
])('a location with %s fails for permission_denied, and is never passed over', async (_, body) => {
  const { post } = await listening()

  const { status, data } = await post<Result>('/api/v2/location', body)

  expect(status).toBe(200)
  expect(data).toMatchObject({ status: 'failed', check: { type: 'location', status: 'failed' } })
  expect(data.check.error).toMatchObject({ message: expect.any(String), reason: 'permission_denied' })
  expect(data.check.data).not.toHaveProperty('match')
})

it.each([
  { latitude: '52', longitude: 13 },
  { ...here, radius_m: 'near' },
])('a location takes numbers, else 400 validation_error: %j', async (body) => {
  const { post } = await listening()

  const { status, error } = await post('/api/v2/location', body)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it.each(['/api/v2/age-verification', '/api/v2/credential-verification', '/api/v2/location'])(
  '%s takes JSON and no form',
  async (path) => {
    const { call } = await listening()

    const { status, error } = await call('POST', path, { body: form({ dob: '2000-01-01', latitude: '1' }) })

    expect([status, error?.code]).toEqual([400, 'validation_error'])
  },
)
