import type { CheckFor } from '../../../contract/verification/check-results.ts'
import { serviceError } from '../service-error.ts'
import { ageOn, dayOf } from './calendar.ts'
import { failureMessages } from './samples.ts'

/** Returns the age of a band. `18`, `'18'`, `'18+'` and `'is_18_plus'` are the same band (contract, section 4.3). */
function thresholdOf(band: string | number): number | undefined {
  const digits = /^(?:(\d{1,3})\+?|is_(\d{1,3})_plus)$/.exec(String(band))
  return digits === null ? undefined : Number(digits[1] ?? digits[2])
}

/**
 * Evaluates the bands for the date of birth in the request. This is the contract's fresh mode, which allows any band.
 */
export function checkAge(
  { dob, bands }: { readonly dob: string; readonly bands: readonly (string | number)[] },
  now: Date,
): CheckFor<'age'> {
  const day = dayOf(dob)
  if (day === undefined || ageOn(day, now) < 0)
    throw serviceError('validation_error', { message: 'dob: must be a date in the past, as YYYY-MM-DD' })

  const age = ageOn(day, now)
  const results = (bands.length > 0 ? bands : ['is_18_plus']).map((band) => {
    const threshold = thresholdOf(band)
    if (threshold === undefined) return [String(band), { verified: null, error: 'unknown_band' }] as const
    return [String(band), { verified: age >= threshold, min_age: threshold }] as const
  })
  const passed = results.every(([, { verified }]) => verified === true)
  return {
    type: 'age',
    status: passed ? 'passed' : 'failed',
    data: { age, dob: day, bands: Object.fromEntries(results) },
    error: passed ? null : { message: failureMessages.age },
  }
}
