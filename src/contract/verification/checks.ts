import { endpoint } from '../endpoint.ts'
import { listOf } from '../schema/collections.ts'
import { nonEmpty } from '../schema/fields.ts'
import { ruled } from '../schema/rules.ts'
import { schema } from '../schema/schema.ts'
import * as z from '../schema/zod-core.ts'
import { combinedResult, standalone } from './check-results.ts'

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
  ) as z.Type<string | number>

/** `license_type` and `provider_code` name different things and are never merged; one of them is needed. */
const namingALicense = <S extends z.Type<{ license_type?: unknown; provider_code?: unknown }>>(params: S) =>
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
  method: 'POST',
  path: '/api/v2/id-verification',
  body: schema(() => z.looseObject({ front_image: image(), back_image: z.optional(image()) })),
  images: ['front_image', 'back_image'],
  response: standalone('id_verification'),
  replay: 'with-key',
  billable: true,
})

export const liveness = endpoint({
  operation: 'checks.liveness',
  method: 'POST',
  path: '/api/v2/liveness',
  body: schema(() => z.looseObject({ image: image() })),
  images: ['image'],
  response: standalone('liveness'),
  replay: 'with-key',
  billable: true,
})

export const faceMatch = endpoint({
  operation: 'checks.faceMatch',
  method: 'POST',
  path: '/api/v2/face-match',
  body: schema(() => z.looseObject({ image1: image(), image2: image() })),
  images: ['image1', 'image2'],
  response: standalone('face_match'),
  replay: 'with-key',
  billable: true,
})

export const ageVerification = endpoint({
  operation: 'checks.age',
  method: 'POST',
  path: '/api/v2/age-verification',
  body: schema(() => z.looseObject({ dob: nonEmpty(), bands: listOf(ageBand()) })),
  response: standalone('age'),
  replay: 'with-key',
  billable: true,
})

export const credentialVerification = endpoint({
  operation: 'checks.credential',
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
})

export const kycCredential = endpoint({
  operation: 'checks.kycCredential',
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
})

export const locationCheck = endpoint({
  operation: 'checks.location',
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
})
