import type { CheckDataByType, CheckType } from '../../../contract/verification/check-data.ts'
import type { CheckFor } from '../../../contract/verification/check-results.ts'
import { ageOn } from './calendar.ts'

/** The fictitious person on every document and account of the emulator. */
export const samplePerson = { name: 'Alex Sample', dob: '1990-04-12' } as const

/** A valid image of one gray pixel, so that a portrait can be decoded. */
const samplePortrait = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg=='

const sampleData: { readonly [Type in CheckType]: (now: Date) => CheckDataByType[Type] } = {
  id_verification: () => ({
    fields: {
      full_name: samplePerson.name,
      document_number: 'EMU0000001',
      date_of_birth: samplePerson.dob,
      date_of_expiry: '2038-04-11',
      issuing_state: 'CA',
      country: 'US',
      document_type: 'driving_license',
    },
    portrait: samplePortrait,
    dob: samplePerson.dob,
    authenticity: { score: 0.98 },
  }),
  liveness: () => ({ live_score: 1, result: 'live' }),
  face_match: () => ({ similarity: 0.98, threshold: 0.95 }),
  age: (now) => ({
    age: ageOn(samplePerson.dob, now),
    dob: samplePerson.dob,
    bands: { is_18_plus: { verified: true, min_age: 18 } },
  }),
  credential: () => ({
    mode: 'verify',
    match: true,
    license: {
      license_number: 'RN-482913',
      status: 'active',
      issued_at: '2019-06-01',
      expires_at: '2037-05-31',
      specialty: 'Critical care',
    },
  }),
  location: (now) => ({
    latitude: 37.7749,
    longitude: -122.4194,
    accuracy: 8,
    source: 'gps',
    captured_at: now.toISOString(),
  }),
}

const sampleScores: { readonly [Type in CheckType]?: number } = {
  id_verification: 0.98,
  liveness: 1,
  face_match: 0.98,
}

/** Returns a passed check with plausible data. */
export function passedCheck<Type extends CheckType>(type: Type, now: Date): CheckFor<Type> {
  const score = sampleScores[type]
  return {
    type,
    status: 'passed',
    ...(score === undefined ? {} : { score }),
    data: sampleData[type](now),
    error: null,
  }
}

/** By type of check, the members of `data` that change with the status. */
export type DataChange = {
  readonly [Type in CheckType]: (data: CheckDataByType[Type]) => Partial<CheckDataByType[Type]>
}

export const failedData: DataChange = {
  id_verification: () => ({ authenticity: { score: 0.21 } }),
  liveness: () => ({ live_score: 0.08, result: 'spoof' }),
  face_match: () => ({ similarity: 0.41 }),
  age: ({ bands }) => ({ bands: everyBand(bands ?? {}, false) }),
  credential: ({ mode }) => (mode === 'search' ? { found: false, license: null } : { match: false }),
  location: ({ match }) => (typeof match === 'boolean' ? { match: false } : {}),
}

export const borderlineData: DataChange = {
  id_verification: () => ({ authenticity: { score: 0.62 } }),
  liveness: () => ({ live_score: 0.55, result: 'uncertain' }),
  face_match: () => ({ similarity: 0.93 }),
  age: ({ bands }) => ({ bands: everyBand(bands ?? {}, null) }),
  credential: ({ mode }) => (mode === 'search' ? {} : { match: null }),
  location: () => ({}),
}

export const failureMessages: { readonly [Type in CheckType]: string } = {
  id_verification: 'The document could not be confirmed as authentic.',
  liveness: 'The image does not show a live person.',
  face_match: 'The two faces are too different.',
  age: 'Not every requested age band is verified.',
  credential: 'The license could not be confirmed for this person.',
  location: 'The location could not be confirmed.',
}

function everyBand(bands: NonNullable<CheckDataByType['age']['bands']>, verified: boolean | null) {
  return Object.fromEntries(Object.entries(bands).map(([band, result]) => [band, { ...result, verified }]))
}
