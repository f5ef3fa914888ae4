import type {
  AgeBand,
  AgeParams,
  CredentialParams,
  LicenseParams,
  LocationParams,
} from '../contract/verification/check-params.ts'
import type { AgeResult, CombinedResult, StandaloneResult } from '../contract/verification/check-results.ts'
import {
  ageVerification,
  credentialVerification,
  faceMatch,
  idVerification,
  kycCredential,
  liveness,
  locationCheck,
} from '../contract/verification/checks.ts'
import type { ImageInput } from '../http/body/image.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { ImageRequestOptions } from '../http/exchange/call.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { BillableRequestOptions } from '../http/params/options.ts'

/** Params of an ID verification. Each image must be smaller than 20 MiB. */
export interface IdVerificationParams {
  /** The side with the portrait. */
  readonly front_image: ImageInput
  /** The other side, for documents with two sides. */
  readonly back_image?: ImageInput | undefined
}

/** Params of a liveness check. The image must be smaller than 20 MiB. */
export interface LivenessParams {
  /** The selfie: a full-quality camera frame. Photos of photos, screens and prints do not pass. */
  readonly image: ImageInput
}

/** Params of a face match. Each image must be smaller than 20 MiB. */
export interface FaceMatchParams {
  /** The reference portrait. */
  readonly image1: ImageInput
  /** The live selfie. */
  readonly image2: ImageInput
}

/** The images of the combined check. */
interface KycImages {
  /** The side with the portrait. */
  readonly front_image: ImageInput
  /** The other side, for documents with two sides. */
  readonly back_image?: ImageInput | undefined
  /** The live selfie: a full-quality camera frame. */
  readonly selfie: ImageInput
}

/**
 * Params of the combined check: a document, a selfie and a license. Each image must be smaller than 20 MiB. The
 * holder's name comes from the document, never from the caller.
 */
export type KycCredentialParams = LicenseParams & KycImages

/**
 * Standalone checks with an immediate result. Available as `client.checks`.
 *
 * - Each call is billed. It carries an `Idempotency-Key`, so that the service can recognize a retry.
 * - If no definite response arrives, the call throws an {@link OutcomeUnknownError}. It contains the key to retry with.
 * - A check that fails is a result, not an error. Read `status`, or call `assertPassed`.
 * - Images must be smaller than 20 MiB.
 */
export interface Checks {
  /**
   * Reads an ID document and checks its authenticity.
   *
   * @throws {UnprocessableError} the image cannot be used
   * @throws {PayloadTooLargeError} `image_too_large`
   * @throws {PaymentRequiredError} the wallet is empty
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { check } = await client.checks.idVerification({ front_image: imageFromFile('front.jpg') })
   * console.log(check.status, check.data.fields?.full_name)
   */
  idVerification(
    params: IdVerificationParams,
    options?: ImageRequestOptions,
  ): ApiPromise<StandaloneResult<'id_verification'>>
  /**
   * Checks whether a selfie shows a live person. The service passes it only if `live_score` equals 1, so rely on
   * `status`. Send a full-quality camera frame.
   *
   * @throws {UnprocessableError} the image cannot be used
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { status } = await client.checks.liveness({ image: selfie })
   */
  liveness(params: LivenessParams, options?: ImageRequestOptions): ApiPromise<StandaloneResult<'liveness'>>
  /**
   * Compares two faces. It does not prove that either is live. The result contains the threshold that the service
   * applied.
   *
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { check } = await client.checks.faceMatch({ image1: portrait, image2: selfie })
   * console.log(check.data.similarity, check.data.threshold)
   */
  faceMatch(params: FaceMatchParams, options?: ImageRequestOptions): ApiPromise<StandaloneResult<'face_match'>>
  /**
   * Checks a date of birth against age bands. The check passes only if every band is verified. The bands of the result
   * keep the service's keys. A band that the service cannot parse has `verified: null`.
   *
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { status, check } = await client.checks.age({ dob: '2001-05-17', bands: [18, '21+'] })
   */
  age<const Band extends AgeBand>(
    params: AgeParams<Band>,
    options?: BillableRequestOptions,
  ): ApiPromise<AgeResult<Band>>
  /**
   * Looks up a license at its board. The live lookup takes 10 to 60 seconds, so the default timeout is 90 seconds.
   *
   * - Without a name it searches, which does not verify anyone.
   * - With a name it verifies the holder.
   * - With `svc_access_token` it uses the verified name of that account, returns proofs, and badges the license on the
   *   account. The proofs are kept as the service sends them.
   *
   * A license that does not exist gives `found: false` or the error `license_not_found`. Handle both.
   *
   * @throws {BadRequestError | NotFoundError} `license_not_found`, with the status 400 or 404
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { check } = await client.checks.credential({
   *   ...credentialParams(provider, { license_number: 'A-12345' }),
   *   full_name: 'Ada Lovelace',
   * })
   * console.log(check.data.mode, check.data.match)
   */
  credential(params: CredentialParams, options?: BillableRequestOptions): ApiPromise<StandaloneResult<'credential'>>
  /**
   * Verifies an ID, a selfie and a license in one call. The license is matched against the name on the ID. The default
   * timeout is 90 seconds.
   *
   * @throws {BadRequestError | NotFoundError} `license_not_found`, with the status 400 or 404
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const result = await client.checks.kycCredential({
   *   front_image: imageFromFile('front.jpg'),
   *   selfie,
   *   license_state: 'CA',
   *   license_type: 'Registered Nurse',
   *   license_number: 'RN-1',
   * })
   * assertPassed(result)
   */
  kycCredential(params: KycCredentialParams, options?: ImageRequestOptions): ApiPromise<CombinedResult>
  /**
   * Compares a GPS fix with an expected point. If the person blocked the permission, leave out the coordinates: the
   * check then fails.
   *
   * `match` is true or false if you send a radius, `null` if you send a point without a radius, and absent if you send
   * no expected point.
   *
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * const { check } = await client.checks.location({
   *   latitude: 52.52,
   *   longitude: 13.405,
   *   accuracy: 12,
   *   expected_latitude: 52.5,
   *   expected_longitude: 13.4,
   *   radius_m: 5_000,
   * })
   */
  location(params?: LocationParams, options?: BillableRequestOptions): ApiPromise<StandaloneResult<'location'>>
}

export const createChecks = (http: HttpClient): Checks => ({
  idVerification: (params, options) => http.send(idVerification, { body: params }, options),
  liveness: (params, options) => http.send(liveness, { body: params }, options),
  faceMatch: (params, options) => http.send(faceMatch, { body: params }, options),
  age: <const Band extends AgeBand>(params: AgeParams<Band>, options?: BillableRequestOptions) =>
    http.send(ageVerification, { body: params }, options) as ApiPromise<AgeResult<Band>>,
  credential: (params, options) => http.send(credentialVerification, { body: params }, options),
  kycCredential: (params, options) => http.send(kycCredential, { body: params }, options),
  location: (params = {}, options) => http.send(locationCheck, { body: params }, options),
})
