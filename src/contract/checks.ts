import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import {
  type MoreFields,
  maybe,
  maybeFlag,
  maybeNumber,
  maybeText,
  nonEmpty,
  type Open,
  open,
  schemaFor,
  type Unlisted,
} from './fields.ts'
import { judged, mapOf, passOn, ruled } from './rules.ts'
import { type Schema, schema } from './schema.ts'

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

/** A band such as 18, '18', '18+' or 'is_18_plus': all four mean the same. */
export type AgeBand = number | `${number}` | `${number}+` | `is_${number}_plus`

/** Whose age is asked about (contract, section 4.3). */
export interface AgeParams {
  /** Date of birth, best as `YYYY-MM-DD`. */
  readonly dob: string
  /**
   * What to ask. An empty list asks for `is_18_plus`. Any band can be asked here; the account mode of the
   * service knows 16, 18, 21, 30 and 65 only.
   */
  readonly bands: readonly AgeBand[]
}

/** Where somebody is, and where they should be (contract, section 4.3). */
export interface LocationParams {
  /** Degrees. Leave the coordinates out when the person blocked the permission: the check then fails. */
  readonly latitude?: number | undefined
  /** Degrees. */
  readonly longitude?: number | undefined
  /** Metres. */
  readonly accuracy?: number | undefined
  /** Degrees. Without an expected point the place is recorded and nothing compared. */
  readonly expected_latitude?: number | undefined
  /** Degrees. */
  readonly expected_longitude?: number | undefined
  /** Metres. Without it a distance is reported and nothing is matched. */
  readonly radius_m?: number | undefined
}

/** Which board and which kind of licence: one of the two is needed, and each goes as it is. */
export type LicenseKind =
  | {
      /** The provider's `credential_name`. */
      readonly license_type: string
      /** The provider's `provider_code`: pins the exact board. */
      readonly provider_code?: string | undefined
    }
  | { readonly license_type?: string | undefined; readonly provider_code: string }

/** The jurisdiction, two letters. `state` is the service's other name for it. */
export type LicenseState = { readonly license_state: string } | { readonly state: string }

/** The number exactly as the board writes it. `license_no` is the service's other name for it. */
export type LicenseNumber = { readonly license_number: string } | { readonly license_no: string }

/**
 * Whose licence it should be. A name verifies, no name only searches, and an access token takes the name of
 * that account and ignores any other.
 */
export type LicenseHolder =
  | {
      /** Verifies the licence against this name. */
      readonly full_name: string
      readonly first_name?: undefined
      readonly last_name?: undefined
      readonly svc_access_token?: undefined
    }
  | {
      readonly full_name?: undefined
      /** Verifies the licence against this name, with `last_name`. */
      readonly first_name: string
      /** Verifies the licence against this name, with `first_name`. */
      readonly last_name: string
      readonly svc_access_token?: undefined
    }
  | {
      readonly full_name?: undefined
      readonly first_name?: undefined
      readonly last_name?: undefined
      /** Takes the verified name of this account. */
      readonly svc_access_token?: string | undefined
    }

/** What some boards need beside the number. */
export interface LicenseDetails {
  /** Where the provider takes it. */
  readonly npi?: string | undefined
  /** What a provider lists in `required_fields`. */
  readonly remote_code?: string | undefined
}

/** What a licence check is asked with (contract, section 4.4). */
export type CredentialParams = LicenseKind &
  LicenseState &
  LicenseNumber &
  LicenseHolder &
  LicenseDetails & {
    /** Tidies odd number formats, and tries again where the board finds nothing. */
    readonly do_ai_clean?: boolean | undefined
  }

/** The licence half of the combined check; the name comes from the ID, never from the caller. */
export type KycLicenseParams = LicenseKind & LicenseState & LicenseNumber & LicenseDetails

/** What every check has (contract, section 2.3). */
export interface CheckOf<Type, Data> extends MoreFields {
  /** Tells the members of {@link Check} apart. */
  readonly type: Type
  /** Only `passed` is a pass. */
  readonly status: CheckStatus
  /** Absent for age. */
  readonly score?: number | null | undefined
  /** What was found, by type of check. */
  readonly data: Data
  /** Has a `message` where it is an object; its other members are not shown. */
  readonly error?: CheckError | string | null | undefined
}

/** Why a check did not pass (contract, section 2.3). */
export interface CheckError extends MoreFields {
  /** For people to read; not stable. */
  readonly message?: string | null | undefined
}

/** A check of one listed type. */
export type CheckFor<Type extends CheckType> = CheckOf<Type, CheckDataByType[Type]>

/** One check of a session or a standalone call: a union told apart by `type`, open to types not listed yet. */
export type Check = { [Type in CheckType]: CheckFor<Type> }[CheckType] | CheckOf<Unlisted, MoreFields>

/** The answer of a standalone check (contract, section 2.5). A check that failed is a result, not an error. */
export interface StandaloneResult<Type extends CheckType = CheckType> extends MoreFields {
  /** Names this check at the service. */
  readonly session_id: string
  /** Of the check. */
  readonly status: CheckStatus
  /** The one check that was made. */
  readonly check: CheckFor<Type>
}

/** Who the ID says the person is (contract, section 2.5). */
export interface Identity extends MoreFields {
  /** As on the ID. */
  readonly name?: string | null | undefined
  /** Date of birth, as on the ID. */
  readonly dob?: string | null | undefined
}

/** The answer of the combined identity and licence check (contract, section 2.5). */
export interface CombinedResult extends MoreFields {
  /** Names these checks at the service. */
  readonly session_id: string
  /** Of the whole. `assertPassed` looks at each check as well. */
  readonly status: CheckStatus
  /** Who the ID says it is. */
  readonly identity?: Identity | null | undefined
  /** ID verification, liveness, face match and licence. */
  readonly checks: readonly Check[]
}

const dataSchemas = {
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
        mapOf(
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

const checkError = schemaFor<CheckError>()(() => z.looseObject({ message: maybeText() }))

const isCheckError = (error: unknown) => typeof error === 'string' || checkError.accepts(error)

const isListed = (type: string): type is CheckType => Object.hasOwn(dataSchemas, type)

// A union would try every member and accept a listed type with foreign data as the open one: here the
// type alone picks the schema for `data`.
export const anyCheck = schema(
  () =>
    judged(
      z.looseObject({
        type: z.string(),
        status: open<KnownCheckStatus>(),
        score: maybeNumber(),
        data: z.looseObject({}),
        error: maybe(ruled(z.unknown(), isCheckError, 'must be a text, or an object with a text as message')),
      }),
      ({ type, data }) => !isListed(type) || dataSchemas[type].accepts(data),
      ({ type, data }, issues) => passOn(dataSchemas[type as CheckType].zod, data, ['data'], issues),
    ) as unknown as z.ZodMiniType<Check>,
)

const standalone = <Type extends CheckType>(type: Type) =>
  schemaFor<StandaloneResult<Type>>()(() =>
    z.looseObject({
      session_id: z.string(),
      status: open<KnownCheckStatus>(),
      check: ruled(anyCheck.zod, (check) => check.type === type, `must be ${type}`, [
        'type',
      ]) as unknown as z.ZodMiniType<CheckFor<Type>>,
    }),
  )

const combinedResult = schemaFor<CombinedResult>()(() =>
  z.looseObject({
    session_id: z.string(),
    status: open<KnownCheckStatus>(),
    identity: maybe(z.looseObject({ name: maybeText(), dob: maybeText() })),
    checks: z.array(anyCheck.zod),
  }),
)

/** An image as it travels in JSON: base64 or a data URL. */
const image = nonEmpty

/** Two letters; the service judges whether it knows them. */
const stateCode = () => ruled(z.string(), (text) => /^[A-Za-z]{2}$/.test(text), 'must be two letters')

/** Other spellings that the service takes (contract, sections 4.3 and 4.4); we send the canonical ones. */
const licenseAliases = { state: 'license_state', license_no: 'license_number' } as const

const ageBand = () =>
  ruled(
    z.unknown(),
    (band) => Number.isSafeInteger(band) || (typeof band === 'string' && band !== ''),
    'must be a whole number or a band such as "18+"',
  ) as z.ZodMiniType<string | number>

/** `license_type` and `provider_code` name different things and are never merged; one of them is needed. */
const namingALicense = <S extends z.ZodMiniType<{ license_type?: unknown; provider_code?: unknown }>>(
  params: S,
) =>
  ruled(
    params,
    ({ license_type, provider_code }) => license_type !== undefined || provider_code !== undefined,
    'is required unless provider_code is given',
    ['license_type'],
  )

const license = () => ({
  license_state: stateCode(),
  license_number: nonEmpty(),
  license_type: z.optional(nonEmpty()),
  provider_code: z.optional(nonEmpty()),
  npi: z.optional(z.string()),
})

export const idVerification = endpoint({
  operation: 'checks.idVerification',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/id-verification',
  body: schema(() => z.looseObject({ front_image: image(), back_image: z.optional(image()) })),
  images: ['front_image', 'back_image'],
  response: standalone('id_verification'),
  replay: 'with-key',
  billable: true,
  errors: ['validation_error', 'unprocessable', 'image_too_large', 'rate_limited'],
})

export const liveness = endpoint({
  operation: 'checks.liveness',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/liveness',
  body: schema(() => z.looseObject({ image: image() })),
  images: ['image'],
  response: standalone('liveness'),
  replay: 'with-key',
  billable: true,
  errors: ['validation_error', 'unprocessable', 'image_too_large'],
})

export const faceMatch = endpoint({
  operation: 'checks.faceMatch',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/face-match',
  body: schema(() => z.looseObject({ image1: image(), image2: image() })),
  images: ['image1', 'image2'],
  response: standalone('face_match'),
  replay: 'with-key',
  billable: true,
  errors: ['validation_error', 'image_too_large'],
})

export const ageVerification = endpoint({
  operation: 'checks.age',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/age-verification',
  body: schema(() => z.looseObject({ dob: nonEmpty(), bands: z.array(ageBand()) })),
  response: standalone('age'),
  replay: 'with-key',
  billable: true,
  errors: ['validation_error'],
})

export const credentialVerification = endpoint({
  operation: 'checks.credential',
  section: '4.4',
  method: 'POST',
  path: '/api/v2/credential-verification',
  body: schema(() =>
    namingALicense(
      z.looseObject({
        ...license(),
        full_name: z.optional(z.string()),
        first_name: z.optional(z.string()),
        last_name: z.optional(z.string()),
        svc_access_token: z.optional(nonEmpty()),
        do_ai_clean: z.optional(z.boolean()),
      }),
    ),
  ),
  aliases: licenseAliases,
  response: standalone('credential'),
  replay: 'with-key',
  billable: true,
  slow: true,
  errors: ['validation_error', 'license_not_found'],
})

export const kycCredential = endpoint({
  operation: 'checks.kycCredential',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/kyc-credential',
  body: schema(() =>
    namingALicense(
      z.looseObject({ front_image: image(), back_image: z.optional(image()), selfie: image(), ...license() }),
    ),
  ),
  images: ['front_image', 'back_image', 'selfie'],
  aliases: licenseAliases,
  response: combinedResult,
  replay: 'with-key',
  billable: true,
  slow: true,
  errors: ['validation_error', 'image_too_large', 'license_not_found', 'kyc_required'],
})

export const locationCheck = endpoint({
  operation: 'checks.location',
  section: '4.3',
  method: 'POST',
  path: '/api/v2/location',
  body: schema(() =>
    z.looseObject({
      latitude: z.optional(z.number()),
      longitude: z.optional(z.number()),
      accuracy: z.optional(z.number()),
      expected_latitude: z.optional(z.number()),
      expected_longitude: z.optional(z.number()),
      radius_m: z.optional(z.number()),
    }),
  ),
  response: standalone('location'),
  replay: 'with-key',
  billable: true,
  errors: ['validation_error'],
})
