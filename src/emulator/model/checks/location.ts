import type { LocationParams } from '../../../contract/verification/check-params.ts'
import type { CheckFor } from '../../../contract/verification/check-results.ts'
import { serviceError } from '../service-error.ts'

interface Point {
  readonly latitude: number
  readonly longitude: number
}

/** Mean radius of the earth, in meters. */
const earthRadius = 6_371_008.8

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Returns the great-circle distance (haversine formula) in meters, rounded to centimeters. */
function distanceBetween(a: Point, b: Point): number {
  const latitudes = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2
  const longitudes = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2
  const chord = latitudes + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitudes
  // Rounding can make the chord of two opposite points greater than 1, whose arcsine is NaN.
  return Math.round(200 * earthRadius * Math.asin(Math.sqrt(Math.min(1, chord)))) / 100
}

/** Returns the point, or `undefined` without coordinates. Throws if only one is given, or if one is out of range. */
function pointOf(latitude: number | undefined, longitude: number | undefined, name: string): Point | undefined {
  if (latitude === undefined && longitude === undefined) return undefined
  if (latitude === undefined || longitude === undefined)
    throw serviceError('validation_error', { message: `${name}: requires both latitude and longitude` })
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
    throw serviceError('validation_error', {
      message: `${name}: latitude must be from -90 to 90, and longitude from -180 to 180`,
    })
  return { latitude, longitude }
}

/** Evaluates a location by the rules of the contract, section 4.3. */
export function checkLocation(params: LocationParams, now: Date): CheckFor<'location'> {
  const { latitude, longitude, accuracy, radius_m } = params
  const expected = pointOf(params.expected_latitude, params.expected_longitude, 'expected point')
  if (radius_m !== undefined && radius_m < 0)
    throw serviceError('validation_error', { message: 'radius_m: must not be negative' })

  const criteria = {
    ...(expected && { expected_latitude: expected.latitude, expected_longitude: expected.longitude }),
    ...(radius_m === undefined ? {} : { radius_m }),
  }
  // One coordinate without the other counts as a missing GPS fix. That is a failed check, not an invalid request.
  if (latitude === undefined || longitude === undefined) {
    // The contract names the reason (section 4.3), but a check's error has no documented member except `message`
    // (section 2.3), so the reason is part of the message.
    const error = { message: 'The request contains no GPS fix (permission_denied).' }
    return { type: 'location', status: 'failed', data: criteria, error }
  }

  const fix = pointOf(latitude, longitude, 'location') as Point
  const captured = {
    ...fix,
    ...(accuracy === undefined ? {} : { accuracy }),
    source: 'gps' as const,
    captured_at: now.toISOString(),
    ...criteria,
  }
  if (expected === undefined) return { type: 'location', status: 'passed', data: captured, error: null }

  const distance_m = distanceBetween(fix, expected)
  const match = radius_m === undefined ? null : distance_m <= radius_m
  const data = { ...captured, distance_m, match }
  if (match !== false) return { type: 'location', status: 'passed', data, error: null }
  const message = `${distance_m} m from the expected point, outside the radius of ${radius_m} m.`
  return { type: 'location', status: 'failed', data, error: { message } }
}
