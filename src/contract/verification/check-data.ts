import * as z from 'zod/mini'
import { maybe, maybeFlag, maybeNumber, maybeText, open } from '../schema/fields.ts'
import type { MoreFields, Open } from '../schema/open-types.ts'
import { type Schema, schemaFor } from '../schema/schema.ts'

/** Types of check that the contract lists (section 2.3). */
export const checkTypes = [
  'id_verification',
  'liveness',
  'face_match',
  'age',
  'credential',
  'location',
] as const

/**
 * A type of check that the contract lists.
 *
 * @useDeclaredType
 */
export type CheckType = (typeof checkTypes)[number]

export const checkStatuses = ['pending', 'running', 'passed', 'failed', 'review'] as const

/**
 * A status that the contract lists (section 3.2).
 *
 * @useDeclaredType
 */
export type KnownCheckStatus = (typeof checkStatuses)[number]

/**
 * Where a check stands. `review` is not `passed`. Open: a status that is not listed passes through.
 */
export type CheckStatus = Open<KnownCheckStatus>

/** What was read from an ID document. A field that could not be read is missing or `null`. */
export interface IdDocumentFields extends MoreFields {
  /** As printed on the document. */
  readonly full_name?: string | null | undefined
  /** As printed on the document. */
  readonly document_number?: string | null | undefined
  /** The form of the date is not shown. */
  readonly date_of_birth?: string | null | undefined
  /** The form of the date is not shown. */
  readonly date_of_expiry?: string | null | undefined
  /** Who issued it; the form is not shown. */
  readonly issuing_state?: string | null | undefined
  /** The form is not shown: a code or a name. */
  readonly country?: string | null | undefined
  /** Its values are not shown. */
  readonly document_type?: string | null | undefined
}

/** What an ID verification found (contract, section 2.3). */
export interface IdVerificationData extends MoreFields {
  /** What was read. */
  readonly fields?: IdDocumentFields | null | undefined
  /** The portrait on the document, base64. */
  readonly portrait?: string | null | undefined
  /** Date of birth. */
  readonly dob?: string | null | undefined
  /** How sure the service is that the document is genuine. */
  readonly authenticity?: DocumentAuthenticity | null | undefined
}

/** The judgement on a document itself. */
export interface DocumentAuthenticity extends MoreFields {
  /** Its scale is not shown; go by the check's `status`. */
  readonly score?: number | null | undefined
}

/** What a liveness check found (contract, section 2.3). */
export interface LivenessData extends MoreFields {
  /** The service passes a selfie only at 1; go by the check's `status`. */
  readonly live_score?: number | null | undefined
  /** The service's word for it; its values are not shown. */
  readonly result?: string | null | undefined
}

/** What a comparison of two faces found (contract, section 2.3). */
export interface FaceMatchData extends MoreFields {
  /** The check passes at the `threshold` and above. */
  readonly similarity?: number | null | undefined
  /** What `similarity` had to reach, as the service applied it. */
  readonly threshold?: number | null | undefined
}

/** The answer for one age band. A band that could not be read has `verified: null` and `error: 'unknown_band'`. */
export interface AgeBandResult extends MoreFields {
  /** Whether the person is of the age; `null` where the band could not be read. */
  readonly verified: boolean | null
  /** In years. */
  readonly min_age?: number | null | undefined
  /** Why there is no answer. */
  readonly error?: Open<'unknown_band'> | null | undefined
}

/** What an age check found (contract, section 4.3). */
export interface AgeData extends MoreFields {
  /** In whole years. */
  readonly age?: number | null | undefined
  /** Date of birth, as it was sent. */
  readonly dob?: string | null | undefined
  /** One entry a requested band, under the key that the service gave it. */
  readonly bands?: Readonly<Record<string, AgeBandResult>> | null | undefined
}

/** A licence as its board tells it (contract, section 2.3). */
export interface LicenseData extends MoreFields {
  /** As the board writes it. */
  readonly license_number?: string | null | undefined
  /** The board's word for it. */
  readonly status?: string | null | undefined
  /** The form of the date is not shown. */
  readonly issued_at?: string | null | undefined
  /** The form of the date is not shown. */
  readonly expires_at?: string | null | undefined
  /** In the board's words. */
  readonly specialty?: string | null | undefined
}

/** What a licence check found (contract, sections 2.3 and 4.4). */
export interface CredentialData extends MoreFields {
  /** Whether the licence belongs to the person named; `null` in search mode, which verifies nobody. */
  readonly match?: boolean | null | undefined
  /** `search` without a name, `verify` with one; the name of the account mode is not shown. */
  readonly mode?: Open<'search' | 'verify'> | null | undefined
  /** Search mode: whether the board knows the number. */
  readonly found?: boolean | null | undefined
  /** The licence, where one was found. */
  readonly license?: LicenseData | null | undefined
}

/** Where somebody was, and how far from where they should be (contract, sections 2.3 and 4.3). */
export interface LocationData extends MoreFields {
  /** Degrees. */
  readonly latitude?: number | null | undefined
  /** Degrees. */
  readonly longitude?: number | null | undefined
  /** Metres. */
  readonly accuracy?: number | null | undefined
  /** What the fix came from. */
  readonly source?: Open<'gps'> | null | undefined
  /** ISO 8601. */
  readonly captured_at?: string | null | undefined
  /** Degrees. */
  readonly expected_latitude?: number | null | undefined
  /** Degrees. */
  readonly expected_longitude?: number | null | undefined
  /** Metres. */
  readonly distance_m?: number | null | undefined
  /** Metres. */
  readonly radius_m?: number | null | undefined
  /** Inside or outside the radius; `null` without a radius; missing without an expected point. */
  readonly match?: boolean | null | undefined
}

/** `data` of each type of check. */
export interface CheckDataByType {
  /** Document fields, portrait, authenticity. */
  readonly id_verification: IdVerificationData
  /** The live score. */
  readonly liveness: LivenessData
  /** Similarity and threshold. */
  readonly face_match: FaceMatchData
  /** An answer for each band. */
  readonly age: AgeData
  /** The licence, and whether it matched. */
  readonly credential: CredentialData
  /** The fix and the distance. */
  readonly location: LocationData
}

export const dataSchemas = {
  id_verification: schemaFor<IdVerificationData>()(() =>
    z.looseObject({
      fields: maybe(
        z.looseObject({
          full_name: maybeText(),
          document_number: maybeText(),
          date_of_birth: maybeText(),
          date_of_expiry: maybeText(),
          issuing_state: maybeText(),
          country: maybeText(),
          document_type: maybeText(),
        }),
      ),
      portrait: maybeText(),
      dob: maybeText(),
      authenticity: maybe(z.looseObject({ score: maybeNumber() })),
    }),
  ),
  liveness: schemaFor<LivenessData>()(() =>
    z.looseObject({ live_score: maybeNumber(), result: maybeText() }),
  ),
  face_match: schemaFor<FaceMatchData>()(() =>
    z.looseObject({ similarity: maybeNumber(), threshold: maybeNumber() }),
  ),
  age: schemaFor<AgeData>()(() =>
    z.looseObject({
      age: maybeNumber(),
      dob: maybeText(),
      bands: maybe(
        z.record(
          z.string(),
          z.looseObject({
            verified: z.nullable(z.boolean()),
            min_age: maybeNumber(),
            error: maybe(open<'unknown_band'>()),
          }),
        ),
      ),
    }),
  ),
  credential: schemaFor<CredentialData>()(() =>
    z.looseObject({
      match: maybeFlag(),
      mode: maybe(open<'search' | 'verify'>()),
      found: maybeFlag(),
      license: maybe(
        z.looseObject({
          license_number: maybeText(),
          status: maybeText(),
          issued_at: maybeText(),
          expires_at: maybeText(),
          specialty: maybeText(),
        }),
      ),
    }),
  ),
  location: schemaFor<LocationData>()(() =>
    z.looseObject({
      latitude: maybeNumber(),
      longitude: maybeNumber(),
      accuracy: maybeNumber(),
      source: maybe(open<'gps'>()),
      captured_at: maybeText(),
      expected_latitude: maybeNumber(),
      expected_longitude: maybeNumber(),
      distance_m: maybeNumber(),
      radius_m: maybeNumber(),
      match: maybeFlag(),
    }),
  ),
} satisfies { [Type in CheckType]: Schema<CheckDataByType[Type]> }

export const isListed = (type: string): type is CheckType => Object.hasOwn(dataSchemas, type)
