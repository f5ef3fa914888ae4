import { expect, it } from 'vitest'
import { listening } from './over-http.ts'
import type { Result } from './standalone-result.ts'

// Section 4.3: age

it.each([18, '18', '18+', 'is_18_plus'])('the band %j asks for 18 years', async (band) => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/age-verification', { dob: '2000-02-29', bands: [band] })

  expect(data.status).toBe('passed')
  expect(data.check).toEqual({
    type: 'age',
    status: 'passed',
    error: null,
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
