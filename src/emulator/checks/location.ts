import type { LocationParams } from '../../contract/verification/check-params.ts'
import type { CheckFor } from '../../contract/verification/check-results.ts'
import { serviceError } from '../server/service-error.ts'

interface Point {
  readonly latitude: number
  readonly longitude: number
}

/** Mean radius of the earth, in metres. */
const earthRadius = 6_371_008.8

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Great-circle distance by the haversine formula, in metres, to the centimetre. */
function distanceBetween(a: Point, b: Point): number {
  const latitudes = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2
  const longitudes = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2
  const chord = latitudes + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitudes
  // Rounding may carry the chord of two opposite points past 1, whose arcsine is no number.
  return Math.round(200 * earthRadius * Math.asin(Math.sqrt(Math.min(1, chord)))) / 100
}

/** Both coordinates, neither, or a refusal: half a point is no point of the earth. */
function pointOf(
  latitude: number | undefined,
  longitude: number | undefined,
  name: string,
): Point | undefined {
  if (latitude === undefined && longitude === undefined) return undefined
  if (latitude === undefined || longitude === undefined)
    throw serviceError('validation_error', { message: `${name}: needs both latitude and longitude` })
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw serviceError('validation_error', { message: `${name}: is not on the earth` })
  return { latitude, longitude }
}

/** The table of section 4.3. */
export function checkLocation(params: LocationParams, now: Date): CheckFor<'location'> {
  const { latitude, longitude, accuracy, radius_m } = params
  const expected = pointOf(params.expected_latitude, params.expected_longitude, 'expected point')
  if (radius_m !== undefined && radius_m < 0)
    throw serviceError('validation_error', { message: 'radius_m: must not be negative' })

  const asked = {
    ...(expected && { expected_latitude: expected.latitude, expected_longitude: expected.longitude }),
    ...(radius_m === undefined ? {} : { radius_m }),
  }
  // One coordinate without the other is a fix that did not come, which is an outcome and not a malformed request.
  if (latitude === undefined || longitude === undefined)
    return {
      type: 'location',
      status: 'failed',
      data: asked,
      error: { message: 'No GPS fix was sent: permission_denied.', reason: 'permission_denied' },
    }

  const fix = pointOf(latitude, longitude, 'location') as Point
  const captured = {
    ...fix,
    ...(accuracy === undefined ? {} : { accuracy }),
    source: 'gps',
    captured_at: now.toISOString(),
    ...asked,
  }
  if (expected === undefined) return { type: 'location', status: 'passed', data: captured, error: null }

  const distance_m = distanceBetween(fix, expected)
  const match = radius_m === undefined ? null : distance_m <= radius_m
  const data = { ...captured, distance_m, match }
  if (match !== false) return { type: 'location', status: 'passed', data, error: null }
  const message = `${distance_m} m from the expected point, outside the radius of ${radius_m} m.`
  return { type: 'location', status: 'failed', data, error: { message } }
}
