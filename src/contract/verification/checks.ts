import type { Endpoint, OperationFacts } from '../endpoint.ts'
import { nonEmpty, rule, schema, withDefaults } from '../schema/schema.ts'
import * as z from '../schema/zod.ts'
import { combinedOutcome, combinedResult, standalone, standaloneOutcome, withCheckData } from './check-results.ts'

/** What all checks share: each is charged, and a retry has the same key (contract, section 4.3). */
const check = <const Facts>(facts: Facts) =>
  ({
    method: 'POST',
    strict: standaloneOutcome,
    complete: withCheckData,
    replay: 'with-key',
    billable: true,
    ...facts,
  }) as const

/** An image as it is sent in JSON: base64 or a data URL. */
const image = nonEmpty

/** Two letters. The service decides whether they name a jurisdiction. */
const stateCode = () =>
  z
    .string()
    .check(rule((text: string) => /^[A-Za-z]{2}$/.test(text), 'must be two letters', { pattern: '^[A-Za-z]{2}$' }))

/** Aliases that the service accepts (contract, sections 4.3 and 4.4). The client sends the canonical names. */
const licenseAliases = { state: 'license_state', license_no: 'license_number' } as const

/** The forms of a band as text (contract, section 4.3). */
const bandPattern = /^(?:\d{1,3}\+?|is_\d{1,3}_plus)$/

const ageParams = (allows: (band: string) => boolean) =>
  z.looseObject({
    dob: nonEmpty(),
    bands: z.array(
      z.custom<string | number>((band) => Number.isSafeInteger(band) || (typeof band === 'string' && allows(band)), {
        error: "must be a whole number, '18', '18+' or 'is_18_plus'",
        params: { jsonSchema: { type: ['integer', 'string'], minLength: 1 } },
      }),
    ),
  })

/** `license_type` and `provider_code` have different meanings and are never merged. One of them is required. */
const requireLicenseKind = () =>
  rule<{ license_type?: unknown; provider_code?: unknown }>(
    ({ license_type, provider_code }) => license_type !== undefined || provider_code !== undefined,
    'is required unless provider_code is given',
    { anyOf: [{ required: ['license_type'] }, { required: ['provider_code'] }] },
    ['license_type'],
  )

const license = () => ({
  license_state: stateCode(),
  license_number: nonEmpty(),
  license_type: z.optional(nonEmpty()),
  provider_code: z.optional(nonEmpty()),
  npi: z.optional(z.string()),
  remote_code: z.optional(z.string()),
})

export const idVerification = /* @__PURE__ */ check({
  operation: 'checks.idVerification',
  section: '4.3',
  errors: ['validation_error', 'unprocessable', 'image_too_large', 'rate_limited'],
  path: '/api/v2/id-verification',
  body: /* @__PURE__ */ schema(() => z.looseObject({ front_image: image(), back_image: z.optional(image()) })),
  images: ['front_image', 'back_image'],
  response: /* @__PURE__ */ standalone('id_verification'),
}) satisfies Endpoint

export const liveness = /* @__PURE__ */ check({
  operation: 'checks.liveness',
  section: '4.3',
  errors: ['validation_error', 'unprocessable', 'image_too_large'],
  path: '/api/v2/liveness',
  body: /* @__PURE__ */ schema(() => z.looseObject({ image: image() })),
  images: ['image'],
  response: /* @__PURE__ */ standalone('liveness'),
}) satisfies Endpoint

export const faceMatch = /* @__PURE__ */ check({
  operation: 'checks.faceMatch',
  section: '4.3',
  errors: ['validation_error', 'image_too_large'],
  path: '/api/v2/face-match',
  body: /* @__PURE__ */ schema(() => z.looseObject({ image1: image(), image2: image() })),
  images: ['image1', 'image2'],
  response: /* @__PURE__ */ standalone('face_match'),
}) satisfies Endpoint

export const ageVerification = /* @__PURE__ */ check({
  operation: 'checks.age',
  section: '4.3',
  errors: ['validation_error'],
  path: '/api/v2/age-verification',
  // The service bills a band that it cannot read.
  body: /* @__PURE__ */ schema(() => ageParams((band) => bandPattern.test(band))),
  response: /* @__PURE__ */ standalone('age'),
}) satisfies Endpoint

/** What the service accepts: a band that it cannot read is `unknown_band` in the result. */
export const acceptedAgeParams = /* @__PURE__ */ schema(() => ageParams((band) => band !== ''))

/** A form without a name would otherwise be a search, which is billed, passes, and verifies no one. */
const name = () =>
  z.optional(z.string().check(rule((text) => text.trim() !== '', 'must not be empty', { minLength: 1 })))

export const credentialVerification = /* @__PURE__ */ check({
  operation: 'checks.credential',
  section: '4.4',
  errors: ['validation_error', 'license_not_found'],
  path: '/api/v2/credential-verification',
  body: /* @__PURE__ */ schema(() =>
    z
      .looseObject({
        ...license(),
        full_name: name(),
        first_name: name(),
        last_name: name(),
        svc_access_token: z.optional(nonEmpty()),
        do_ai_clean: z.optional(z.boolean()),
      })
      .check(requireLicenseKind()),
  ),
  aliases: licenseAliases,
  namesByProvider: true,
  response: /* @__PURE__ */ standalone('credential'),
  slow: true,
}) satisfies Endpoint

export const kycCredential = {
  operation: 'checks.kycCredential',
  section: '4.3',
  errors: ['validation_error', 'image_too_large', 'license_not_found', 'kyc_required'],
  method: 'POST',
  path: '/api/v2/kyc-credential',
  body: /* @__PURE__ */ schema(() =>
    z
      .looseObject({ front_image: image(), back_image: z.optional(image()), selfie: image(), ...license() })
      .check(requireLicenseKind()),
  ),
  images: ['front_image', 'back_image', 'selfie'],
  aliases: licenseAliases,
  namesByProvider: true,
  response: combinedResult,
  strict: combinedOutcome,
  complete: (payload) => withCheckData(withDefaults(payload, { checks: [] })),
  slow: true,
  replay: 'with-key',
  billable: true,
} as const satisfies Endpoint

export const locationCheck = /* @__PURE__ */ check({
  operation: 'checks.location',
  section: '4.3',
  errors: ['validation_error'],
  path: '/api/v2/location',
  body: /* @__PURE__ */ schema(() =>
    z.looseObject({
      latitude: z.optional(z.number()),
      longitude: z.optional(z.number()),
      accuracy: z.optional(z.number()),
      expected_latitude: z.optional(z.number()),
      expected_longitude: z.optional(z.number()),
      radius_m: z.optional(z.number()),
    }),
  ),
  response: /* @__PURE__ */ standalone('location'),
}) satisfies Endpoint

/** The operations of standalone checks, as a type. */
export interface CheckOperations {
  readonly 'checks.idVerification': OperationFacts<
    'POST /api/v2/id-verification',
    'validation_error' | 'unprocessable' | 'image_too_large' | 'rate_limited',
    'with-key'
  >
  readonly 'checks.liveness': OperationFacts<
    'POST /api/v2/liveness',
    'validation_error' | 'unprocessable' | 'image_too_large',
    'with-key'
  >
  readonly 'checks.faceMatch': OperationFacts<
    'POST /api/v2/face-match',
    'validation_error' | 'image_too_large',
    'with-key'
  >
  readonly 'checks.age': OperationFacts<'POST /api/v2/age-verification', 'validation_error', 'with-key'>
  readonly 'checks.credential': OperationFacts<
    'POST /api/v2/credential-verification',
    'validation_error' | 'license_not_found',
    'with-key'
  >
  readonly 'checks.kycCredential': OperationFacts<
    'POST /api/v2/kyc-credential',
    'validation_error' | 'image_too_large' | 'license_not_found' | 'kyc_required',
    'with-key'
  >
  readonly 'checks.location': OperationFacts<'POST /api/v2/location', 'validation_error', 'with-key'>
}

/** The standalone checks. */
export const checkEndpoints = [
  idVerification,
  liveness,
  faceMatch,
  ageVerification,
  credentialVerification,
  kycCredential,
  locationCheck,
] as const
