import { expect, it } from 'vitest'
import type { CheckResult } from '../../support/checks.ts'
import { inProcess, overHttp } from '../../support/service.ts'

// Section 4.3: location

const path = '/api/v2/location'

const berlin = { latitude: 52.52, longitude: 13.405 }
const expectedBerlin = { expected_latitude: 52.52, expected_longitude: 13.405 }

/** About 111 m to the north. */
const near = { latitude: 52.521, longitude: 13.405 }

it.each([
  ['with a latitude of null', { ...berlin, latitude: null }],
  ['with a longitude of null', { ...berlin, longitude: null }],
  ['without a latitude', { longitude: 13.405 }],
  ['without coordinates', {}],
  ['with the expected point only', { ...expectedBerlin, radius_m: 1000 }],
])('fails with the reason permission_denied in the message, and in no other field, %s', async (_, body) => {
  const { post } = await overHttp()

  const { status, data } = await post<CheckResult>(path, body)

  expect(status).toBe(200)
  expect(data).toMatchObject({ status: 'failed', check: { type: 'location', status: 'failed' } })
  expect(data.check.error).toEqual({ message: expect.stringContaining('permission_denied') })
  expect(data.check.data).not.toHaveProperty('match')
})

it.each([
  // A quarter and a half of the mean circumference, and two cities whose distance is well known.
  ['from a pole to the equator', [90, 0], [0, 77], 10_007_557],
  ['between opposite points', [10, 20], [-10, -160], 20_015_115],
  ['across the date line', [0, 179.5], [0, -179.5], 111_195],
  ['from London to Paris', [51.5074, -0.1278], [48.8566, 2.3522], 343_557],
])('measures the distance on the sphere: %s', async (_, [latitude, longitude], [to, along], meters) => {
  const { post } = await overHttp()

  const { data } = await post<CheckResult>(path, {
    latitude,
    longitude,
    expected_latitude: to,
    expected_longitude: along,
  })

  expect(Math.abs(Number(data.check.data.distance_m) - meters)).toBeLessThan(2)
})

it.each([
  ['coordinates that are strings', { latitude: '52', longitude: 13 }],
  ['an expected latitude of null', { ...near, expected_latitude: null, expected_longitude: 13 }],
  ['a latitude above 90', { latitude: 91, longitude: 13 }],
  ['a longitude below -180', { latitude: 52, longitude: -181 }],
  ['an expected latitude without a longitude', { ...near, expected_latitude: 52 }],
  ['a negative radius', { ...near, ...expectedBerlin, radius_m: -1 }],
  ['a radius that is not a number', { ...near, radius_m: 'near' }],
])('rejects %s with 400 validation_error', async (_, body) => {
  const { post } = await overHttp()

  const { status, error } = await post(path, body)

  expect([status, error?.code]).toEqual([400, 'validation_error'])
})

it.each([
  ['passed', true, 'an expected point and a radius around it', { ...expectedBerlin, radius_m: 150 }],
  ['failed', false, 'an expected point and a radius that is too small', { ...expectedBerlin, radius_m: 100 }],
  ['passed', null, 'an expected point without a radius', expectedBerlin],
  ['passed', undefined, 'no expected point', {}],
])('is %s with the match %s for %s', async (status, match, _, expected) => {
  const { data } = await inProcess().post<CheckResult>(path, { ...near, ...expected })

  expect(data).toMatchObject({ status, check: { type: 'location', status, data: near } })
  expect(data.check.data.match).toBe(match)
  expect('match' in data.check.data).toBe(match !== undefined)
  const distance = match === undefined ? undefined : expect.closeTo(111.2, 0)
  expect(data.check.data.distance_m).toEqual(distance)
  expect(data.check.error).toEqual(match === false ? { message: expect.stringContaining('111') } : null)
})
