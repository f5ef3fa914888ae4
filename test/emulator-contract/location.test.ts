import { expect, it } from 'vitest'
import { listening, start } from './over-http.ts'
import type { Result } from './standalone-result.ts'

// Section 4.3: location

const here = { latitude: 52.52, longitude: 13.405 }
/** About 111 m south of it. */
const target = { expected_latitude: 52.519, expected_longitude: 13.405 }

it('a location without an expected point is captured, and matches nothing', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, accuracy: 12.5 })

  expect(data.check).toEqual({
    type: 'location',
    status: 'passed',
    error: null,
    data: { ...here, accuracy: 12.5, source: 'gps', captured_at: expect.any(String) },
  })
  expect(new Date(String(data.check.data.captured_at))).toEqual(start)
})

it('an expected point without a radius has its distance reported, and match null', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, ...target })

  expect(data).toMatchObject({
    status: 'passed',
    check: { status: 'passed', error: null, data: { ...target, match: null } },
  })
  expect(data.check.data.distance_m).toBeCloseTo(111.19, 0)
})

it('inside the radius is passed and match true', async () => {
  const { post } = await listening()

  const { data } = await post<Result>('/api/v2/location', { ...here, ...target, radius_m: 120 })

  expect(data).toMatchObject({
    status: 'passed',
    check: { status: 'passed', error: null, data: { radius_m: 120, match: true } },
  })
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
