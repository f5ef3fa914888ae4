import type {
  AgeParams,
  CredentialParams,
  KycLicenseParams,
  LocationParams,
} from '../contract/verification/check-params.ts'
import type { CombinedResult, StandaloneResult } from '../contract/verification/check-results.ts'
import {
  ageVerification,
  credentialVerification,
  faceMatch,
  idVerification,
  kycCredential,
  liveness,
  locationCheck,
} from '../contract/verification/checks.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { ImageInput } from '../http/body/image.ts'
import type { ImageRequestOptions } from '../http/call.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'

/** The document to read. Each image smaller than 20 MiB. */
export interface IdVerificationParams {
  /** The side with the portrait. */
  readonly front_image: ImageInput
  /** For documents that have two sides. */
  readonly back_image?: ImageInput | undefined
}

/** The selfie to judge, smaller than 20 MiB. */
export interface LivenessParams {
  /** A full-quality camera frame: photos of photos, screens and prints do not pass. */
  readonly image: ImageInput
}

/** The two faces to compare. Each image smaller than 20 MiB. */
export interface FaceMatchParams {
  /** The reference portrait. */
  readonly image1: ImageInput
  /** The live selfie. */
  readonly image2: ImageInput
}

/** A document, a selfie and a licence. Each image smaller than 20 MiB. */
export type KycCredentialParams = KycLicenseParams & {
  /** The side with the portrait. */
  readonly front_image: ImageInput
  /** For documents that have two sides. */
  readonly back_image?: ImageInput | undefined
  /** A full-quality camera frame. */
  readonly selfie: ImageInput
}

/**
 * Single checks, answered at once. Reached as `client.checks`.
 *
 * Each call is billed. It carries an `Idempotency-Key`, so its repeats are not billed again; when no definite
 * answer came, an {@link OutcomeUnknownError} holds the key to ask with. A check that fails is a result, not
 * an error: look at `status`, or use `assertPassed`. Images must be smaller than 20 MiB.
 */
export class Checks {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Reads an ID document and judges whether it is authentic.
   *
   * @throws {UnprocessableError} an image that cannot be used
   * @throws {PayloadTooLargeError} `image_too_large`
   * @throws {PaymentRequiredError} the wallet is empty
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, sections 2.3 and 4.3
   *
   * @example
   * const { check } = await client.checks.idVerification({ front_image: imageFromFile('front.jpg') })
   * console.log(check.status, check.data.fields?.full_name)
   */
  idVerification(
    params: IdVerificationParams,
    options?: ImageRequestOptions,
  ): ApiPromise<StandaloneResult<'id_verification'>> {
    return this.#http.send(idVerification, { body: params }, options)
  }

  /**
   * Tells whether a selfie shows a live person. The service passes it only at a `live_score` of 1: go by
   * `status`, and send a full-quality camera frame.
   *
   * @throws {UnprocessableError} an image that cannot be used
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, sections 2.3 and 4.3
   *
   * @example
   * const { status } = await client.checks.liveness({ image: selfie })
   */
  liveness(params: LivenessParams, options?: ImageRequestOptions): ApiPromise<StandaloneResult<'liveness'>> {
    return this.#http.send(liveness, { body: params }, options)
  }

  /**
   * Compares two faces. It does not tell whether either is live. The threshold that was applied is in the
   * result.
   *
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, sections 2.3 and 4.3
   *
   * @example
   * const { check } = await client.checks.faceMatch({ image1: portrait, image2: selfie })
   * console.log(check.data.similarity, check.data.threshold)
   */
  faceMatch(
    params: FaceMatchParams,
    options?: ImageRequestOptions,
  ): ApiPromise<StandaloneResult<'face_match'>> {
    return this.#http.send(faceMatch, { body: params }, options)
  }

  /**
   * Answers age bands for a date of birth; it passes when every band is met. The bands of the result have the
   * keys that the service gave them; one that could not be read has `verified: null`.
   *
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, section 4.3, age rules
   *
   * @example
   * const { status, check } = await client.checks.age({ dob: '2001-05-17', bands: [18, '21+'] })
   */
  age(params: AgeParams, options?: RequestOptions): ApiPromise<StandaloneResult<'age'>> {
    return this.#http.send(ageVerification, { body: params }, options)
  }

  /**
   * Looks a licence up at its board, live: 10 to 60 seconds, so the timeout is 90 seconds by default. Without
   * a name it searches, which verifies nobody; with one it verifies; with `svc_access_token` the account's own
   * name counts. A licence that is not found may come as `found: false` or as the error `license_not_found`.
   *
   * @throws {NotFoundError} `license_not_found`
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, section 4.4
   *
   * @example
   * const { check } = await client.checks.credential({
   *   ...credentialParams(provider, { license_number: 'A-12345' }),
   *   full_name: 'Ada Lovelace',
   * })
   * console.log(check.data.mode, check.data.match)
   */
  credential(params: CredentialParams, options?: RequestOptions): ApiPromise<StandaloneResult<'credential'>> {
    return this.#http.send(credentialVerification, { body: params }, options)
  }

  /**
   * Verifies an ID, a selfie and a licence in one call. The licence is matched against the name on the ID. Its
   * timeout is 90 seconds by default.
   *
   * @throws {NotFoundError} `license_not_found`
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, sections 2.5 and 4.3
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
  kycCredential(params: KycCredentialParams, options?: ImageRequestOptions): ApiPromise<CombinedResult> {
    return this.#http.send(kycCredential, { body: params }, options)
  }

  /**
   * Compares a GPS fix with an expected point. Missing coordinates are how a blocked permission is reported:
   * that check fails. `match` is true or false with a radius, `null` without one, and absent without an
   * expected point.
   *
   * @throws {OutcomeUnknownError} no definite answer: repeat with its `idempotencyKey`
   * @see service contract, section 4.3, location rules
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
  location(params: LocationParams = {}, options?: RequestOptions): ApiPromise<StandaloneResult<'location'>> {
    return this.#http.send(locationCheck, { body: params }, options)
  }
}
