import { expect, it } from 'vitest'
import { emulated } from './emulated.ts'

const path = '/api/v2/location'

const berlin = { latitude: 52.52, longitude: 13.405 }
const expectedBerlin = { expected_latitude: 52.52, expected_longitude: 13.405 }

/** About 111 m to the north. */
const near = { latitude: 52.521, longitude: 13.405 }

it.each([
  ['expected point and radius, inside', { ...near, ...expectedBerlin, radius_m: 150 }, 'passed', true],
  ['expected point and radius, outside', { ...near, ...expectedBerlin, radius_m: 100 }, 'failed', false],
  [
    'expected point and a radius of 0, on the spot',
    { ...berlin, ...expectedBerlin, radius_m: 0 },
    'passed',
    true,
  ],
  [
    'expected point and a radius of 0, elsewhere',
    { ...near, ...expectedBerlin, radius_m: 0 },
    'failed',
    false,
  ],
  ['expected point, no radius', { ...near, ...expectedBerlin }, 'passed', null],
  ['no expected point', near, 'passed', undefined],
  ['no expected point, yet a radius', { ...near, radius_m: 1 }, 'passed', undefined],
])('location: %s', async (_, params, status, match) => {
  const { post } = emulated()

  const reply = await post(path, params)

  const { check } = reply.data as { check: { data: Record<string, unknown>; error: unknown } }
  expect(reply.data).toMatchObject({ status, check: { type: 'location', status } })
  if (match === undefined) expect(check.data).not.toHaveProperty('match')
  else expect(check.data.match).toBe(match)
  if (match === false)
    expect(check.error).toMatchObject({ message: expect.stringMatching(/111\.\d+ m .*radius/) })
  else expect(check.error).toBeNull()
  expect('distance_m' in check.data).toBe(match !== undefined)
})

it('reports what was captured and what was asked', async () => {
  const { post } = emulated()

  const { data } = await post(path, { ...near, accuracy: 12, ...expectedBerlin, radius_m: 150 })

  expect((data as { check: { data: unknown } }).check.data).toEqual({
    ...near,
    accuracy: 12,
    source: 'gps',
    captured_at: '2026-03-01T12:00:00.000Z',
    ...expectedBerlin,
    distance_m: expect.closeTo(111.19, 1),
    radius_m: 150,
    match: true,
  })
})

it.each([
  ['nothing', {}],
  ['no latitude', { longitude: 13 }],
  ['no longitude', { latitude: 52 }],
  ['only what was expected', { ...expectedBerlin, radius_m: 100 }],
])('fails with permission_denied without a fix: %s', async (_, params) => {
  const { post } = emulated()

  const { status, data } = await post(path, params)

  expect(status).toBe(200)
  expect(data).toMatchObject({
    status: 'failed',
    check: { status: 'failed', error: { reason: 'permission_denied', message: expect.any(String) } },
  })
  expect((data as { check: { data: object } }).check.data).not.toHaveProperty('match')
})

it.each([
  // Quarter and half of the mean circumference, and two cities whose distance is well known.
  ['pole to equator', [90, 0], [0, 77], 10_007_557],
  ['opposite points', [10, 20], [-10, -160], 20_015_115],
  ['across the date line', [0, 179.5], [0, -179.5], 111_195],
  ['London to Paris', [51.5074, -0.1278], [48.8566, 2.3522], 343_557],
])('measures distances on the sphere: %s', async (_, [latitude, longitude], [to, along], metres) => {
  const { post } = emulated()

  const { data } = await post(path, { latitude, longitude, expected_latitude: to, expected_longitude: along })

  const { distance_m } = (data as { check: { data: { distance_m: number } } }).check.data
  expect(Math.abs(distance_m - metres)).toBeLessThan(2)
})

it.each([
  { latitude: '52', longitude: 13 },
  { latitude: 91, longitude: 13 },
  { latitude: 52, longitude: -181 },
  { ...near, expected_latitude: 52 },
  { ...near, ...expectedBerlin, radius_m: -1 },
])('refuses what is no place: %j', async (params) => {
  const { post } = emulated()

  expect(await post(path, params)).toMatchObject({ status: 400, error: { code: 'validation_error' } })
})
