import { expect, it } from 'vitest'
import { emulated } from './emulated.ts'

const path = '/api/v2/age-verification'

/** On 2026-03-01, a person born on this day is 20. */
const dob = '2005-06-15'

it.each([
  ['a number', 18, '18'],
  ['digits', '18', '18'],
  ['digits and a plus', '18+', '18+'],
  ['a name', 'is_18_plus', 'is_18_plus'],
])('reads a band given as %s, and keys the answer as it was sent', async (_, band, key) => {
  const { post } = emulated()

  const { data } = await post(path, { dob, bands: [band] })

  expect(data).toEqual({
    session_id: expect.stringMatching(/^sess_/),
    status: 'passed',
    check: {
      type: 'age',
      status: 'passed',
      data: { age: 20, dob, bands: { [key]: { verified: true, min_age: 18 } } },
      error: null,
    },
  })
})

it.each(['adult', '', '18-', '+18', 'is_18', 'is__plus', '18 plus', '-5', -5, 1000, '__proto__'])(
  'cannot read the band %j, which never verifies',
  async (band) => {
    const { post } = emulated()

    const { status, data } = await post(path, { dob: '1950-01-01', bands: [16, band] })

    if (band === '') return expect(status).toBe(400)
    const { check } = data as { check: { status: string; data: { bands: object } } }
    expect(check.status).toBe('failed')
    expect(Object.entries(check.data.bands)).toContainEqual([
      String(band),
      { verified: null, error: 'unknown_band' },
    ])
    expect(Object.entries(check.data.bands)).toContainEqual(['16', { verified: true, min_age: 16 }])
  },
)

it.each([
  ['all are verified', [16, 18, 20], 'passed'],
  ['one is not', [16, 18, 21], 'failed'],
  ['none is', [65], 'failed'],
])('passes only if every requested band is verified: %s', async (_, bands, status) => {
  const { post } = emulated()

  expect((await post(path, { dob, bands })).data).toMatchObject({ status, check: { status } })
})

it.each([
  ['2008-03-01', true],
  ['2008-03-02', false],
  ['2007-12-31', true],
])('who was born on %s is 18 on 1 March 2026: %s', async (born, verified) => {
  const { post } = emulated()

  const { data } = await post(path, { dob: born, bands: [18] })

  expect(data).toMatchObject({ check: { data: { bands: { '18': { verified } } } } })
})

it('answers is_18_plus where no band is asked', async () => {
  const { post } = emulated()

  const { data } = await post(path, { dob, bands: [] })

  expect(data).toMatchObject({ check: { data: { bands: { is_18_plus: { verified: true, min_age: 18 } } } } })
})

it('has no score', async () => {
  const { post } = emulated()

  const { data } = await post(path, { dob, bands: [] })

  expect((data as { check: object }).check).not.toHaveProperty('score')
})

it.each([
  ['2005/06/15', 200],
  ['2005-06-15T00:00:00Z', 200],
  ['15.06.2005', 400],
  ['06/15/2005', 400],
  ['2005-06-31', 400],
  ['2005-13-01', 400],
  ['2026-03-02', 400],
  ['yesterday', 400],
])('takes days that have been, year first: %s', async (given, status) => {
  const { post } = emulated()

  const reply = await post(path, { dob: given, bands: [18] })

  expect(reply.status).toBe(status)
  if (status === 200) expect(reply.data).toMatchObject({ check: { data: { dob } } })
  else expect(reply.error).toMatchObject({ code: 'validation_error' })
})

it.each([{ dob }, { bands: [18] }, { dob: '', bands: [18] }, { dob, bands: [18.5] }, { dob, bands: '18' }])(
  'needs a date and a list of bands: %j',
  async (params) => {
    const { post } = emulated()

    expect(await post(path, params)).toMatchObject({ status: 400, error: { code: 'validation_error' } })
  },
)
