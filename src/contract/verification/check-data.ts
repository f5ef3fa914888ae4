import type { Unlisted } from '../schema/open-types.ts'
import {
  maybe,
  maybeFlag,
  maybeNumber,
  maybeText,
  open,
  type Schema,
  schema,
  schemaFor,
  type Type,
  untyped,
} from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import type { AgeBand } from './check-params.ts'

/** The types of check that the contract lists (section 2.3). */
export const checkTypes = ['id_verification', 'liveness', 'face_match', 'age', 'credential', 'location'] as const

/**
 * A type of check that the contract lists.
 *
 * @useDeclaredType
 */
export type CheckType = (typeof checkTypes)[number]

/** The statuses of a check that the contract lists (section 3.2). */
export const checkStatuses = ['pending', 'running', 'passed', 'failed', 'review'] as const

/**
 * A status that the contract lists (section 3.2).
 *
 * @useDeclaredType
 */
export type KnownCheckStatus = (typeof checkStatuses)[number]

/**
 * The status of a check. `review` is not `passed`. Another status passes through.
 */
export type CheckStatus = KnownCheckStatus | Unlisted

/** The fields of an ID document. A field that the service did not read is missing or `null`. */
export interface IdDocumentFields {
  /** The name as printed on the document. */
  readonly full_name?: string | null | undefined
  /** The number as printed on the document. */
  readonly document_number?: string | null | undefined
  /** Date of birth. */
  readonly date_of_birth?: string | null | undefined
  /** Expiry date. */
  readonly date_of_expiry?: string | null | undefined
  /** The issuer. */
  readonly issuing_state?: string | null | undefined
  /** The country. */
  readonly country?: string | null | undefined
  /** The type of document. */
  readonly document_type?: string | null | undefined
}

/** The data of an ID verification (contract, section 2.3). */
export interface IdVerificationData {
  /** The fields that were read from the document. */
  readonly fields?: IdDocumentFields | null | undefined
  /** The portrait on the document, base64. */
  readonly portrait?: string | null | undefined
  /** Date of birth. */
  readonly dob?: string | null | undefined
  /** The authenticity of the document. */
  readonly authenticity?:
    | {
        /** The score. Rely on the check's `status`. */
        readonly score?: number | null | undefined
      }
    | null
    | undefined
}

/** The data of a liveness check (contract, section 2.3). */
export interface LivenessData {
  /** The score. The service passes a selfie only if it equals 1. Rely on the check's `status`. */
  readonly live_score?: number | null | undefined
  /** The service's result. */
  readonly result?: string | null | undefined
}

/** The data of a face match (contract, section 2.3). */
export interface FaceMatchData {
  /** The similarity of the two faces. The check passes if it is at least `threshold`. */
  readonly similarity?: number | null | undefined
  /** The threshold for `similarity`, as the service applied it. */
  readonly threshold?: number | null | undefined
}

/** The data of an age check (contract, section 4.3). `Band` are the bands that were requested. */
export interface AgeData<Band extends AgeBand = AgeBand> {
  /** The person's age in whole years. */
  readonly age?: number | null | undefined
  /** Date of birth. */
  readonly dob?: string | null | undefined
  /**
   * One entry per requested band, under the service's key. Any key, if the types of the bands name no values. An
   * unparsable band has `verified: null` and `error: 'unknown_band'`.
   */
  readonly bands?:
    | {
        readonly [Key in AgeBandKey<Band>]?: {
          /** True if the person has reached the age. `null` if the band could not be parsed. */
          readonly verified: boolean | null
          /** The age of the band, in years. */
          readonly min_age?: number | null | undefined
          /** The reason if there is no result. */
          readonly error?: 'unknown_band' | Unlisted | null | undefined
        }
      }
    | null
    | undefined
}

type AgeBandKey<Band extends AgeBand> = number extends Band ? string : `${Band}`

/** A license as its board lists it (contract, section 2.3). */
export interface LicenseData {
  /** The number as the board writes it. */
  readonly license_number?: string | null | undefined
  /** The board's status of the license. */
  readonly status?: string | null | undefined
  /** Issue date. */
  readonly issued_at?: string | null | undefined
  /** Expiry date. */
  readonly expires_at?: string | null | undefined
  /** The specialty, as the board writes it. */
  readonly specialty?: string | null | undefined
}

/** The data of a license check (contract, sections 2.3 and 4.4). */
export interface CredentialData {
  /** True if the license belongs to the named person. `null` in search mode, which does not verify a holder. */
  readonly match?: boolean | null | undefined
  /** `search` without a name, `verify` with a name. The contract does not list the value for account mode. */
  readonly mode?: 'search' | 'verify' | Unlisted | null | undefined
  /** In search mode: true if the board lists the number. */
  readonly found?: boolean | null | undefined
  /** The license, if one was found. */
  readonly license?: LicenseData | null | undefined
}

/** The data of a location check (contract, sections 2.3 and 4.3). */
export interface LocationData {
  /** Latitude in degrees. */
  readonly latitude?: number | null | undefined
  /** Longitude in degrees. */
  readonly longitude?: number | null | undefined
  /** Accuracy of the fix. The contract does not give its unit. */
  readonly accuracy?: number | null | undefined
  /** The source of the fix. */
  readonly source?: 'gps' | Unlisted | null | undefined
  /** When the fix was captured, ISO 8601. */
  readonly captured_at?: string | null | undefined
  /** Latitude of the expected point, in degrees. */
  readonly expected_latitude?: number | null | undefined
  /** Longitude of the expected point, in degrees. */
  readonly expected_longitude?: number | null | undefined
  /** Distance from the expected point, in meters. */
  readonly distance_m?: number | null | undefined
  /** The requested radius, in meters. */
  readonly radius_m?: number | null | undefined
  /** True inside the radius, false outside. `null` without a radius. Missing without an expected point. */
  readonly match?: boolean | null | undefined
}

/** The type of `data`, by type of check. */
export interface CheckDataByType {
  /** Document fields, portrait, authenticity. */
  readonly id_verification: IdVerificationData
  /** The live score. */
  readonly liveness: LivenessData
  /** Similarity and threshold. */
  readonly face_match: FaceMatchData
  /** The result of each band. */
  readonly age: AgeData
  /** The license, and whether it matches the holder. */
  readonly credential: CredentialData
  /** The GPS fix and the distance. */
  readonly location: LocationData
}

/** `untyped` marks what the contract names without a type (section 2.3). */
export const dataSchemas = {
  id_verification: /* @__PURE__ */ schemaFor<IdVerificationData>()(() =>
    z.looseObject({
      fields: maybe(
        z.looseObject({
          full_name: maybe(untyped(z.string())),
          document_number: maybe(untyped(z.string())),
          date_of_birth: maybe(untyped(z.string())),
          date_of_expiry: maybe(untyped(z.string())),
          issuing_state: maybe(untyped(z.string())),
          country: maybe(untyped(z.string())),
          document_type: maybe(untyped(z.string())),
        }),
      ),
      portrait: maybeText(),
      dob: maybeText(),
      authenticity: maybe(z.looseObject({ score: maybeNumber() })),
    }),
  ),
  liveness: /* @__PURE__ */ schemaFor<LivenessData>()(() =>
    z.looseObject({ live_score: maybeNumber(), result: maybeText() }),
  ),
  face_match: /* @__PURE__ */ schemaFor<FaceMatchData>()(() =>
    z.looseObject({ similarity: maybeNumber(), threshold: maybeNumber() }),
  ),
  age: /* @__PURE__ */ schema<Type<AgeData>>(() =>
    z.looseObject({
      age: maybeNumber(),
      dob: maybeText(),
      bands: maybe(
        z.catchall(
          z.object({}),
          z.looseObject({
            verified: z.nullable(z.boolean()),
            min_age: maybeNumber(),
            error: maybe(open<'unknown_band'>()),
          }),
        ),
      ),
    }),
  ),
  credential: /* @__PURE__ */ schemaFor<CredentialData>()(() =>
    z.looseObject({
      match: maybeFlag(),
      mode: maybe(untyped(open<'search' | 'verify'>())),
      found: maybeFlag(),
      license: maybe(
        z.looseObject({
          license_number: maybe(untyped(z.string())),
          status: maybe(untyped(z.string())),
          issued_at: maybe(untyped(z.string())),
          expires_at: maybe(untyped(z.string())),
          specialty: maybe(untyped(z.string())),
        }),
      ),
    }),
  ),
  location: /* @__PURE__ */ schemaFor<LocationData>()(() =>
    z.looseObject({
      latitude: maybe(untyped(z.number())),
      longitude: maybe(untyped(z.number())),
      accuracy: maybe(untyped(z.number())),
      source: maybe(open<'gps'>()),
      captured_at: maybeText(),
      expected_latitude: maybe(untyped(z.number())),
      expected_longitude: maybe(untyped(z.number())),
      distance_m: maybe(untyped(z.number())),
      radius_m: maybe(untyped(z.number())),
      match: maybeFlag(),
    }),
  ),
} satisfies { [Type in CheckType]: Schema<CheckDataByType[Type]> }

export const isListed = (type: string): type is CheckType => Object.hasOwn(dataSchemas, type)
