import {
  checkAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
  identifyAntispoof,
} from '../contract/verification/experimental.ts'
import type { ImageInput } from '../http/body/image.ts'
import type { ApiPromise } from '../http/exchange/api-promise.ts'
import type { ImageRequestOptions } from '../http/exchange/call.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { OpenBody, RequestOptions } from '../http/params/options.ts'
import type { Workflows } from './workflows.ts'

/**
 * What the contract names and does not confirm. Available as `client.experimental`. It is outside of semantic
 * versioning, so that any version may change it, move it or remove it (docs/reference/versioning.md).
 *
 * @experimental The contract gives no payloads (sections 4.2 and 4.6), so bodies and results are open.
 */
export interface Experimental {
  /** Workflows. @experimental */
  readonly workflows: Workflows
  /** Presentation-attack checks. @experimental */
  readonly antispoof: Antispoof
  /** Enrolled faces. @experimental */
  readonly faceUniqueness: FaceUniqueness
}

/**
 * The body of an operation of which the contract lists only the path (section 4.6). Images are in `image` and `frames`.
 * Every other field is sent unchanged.
 */
export type ExperimentalBody = ExperimentalImages & OpenBody

/** Images under the names that this package chose, because the contract lists none. */
type ExperimentalImages = {
  /** A single image, smaller than 20 MiB. */
  readonly image?: ImageInput | undefined
  /** A live burst of 3 to 8 frames, sent as base64 in JSON. */
  readonly frames?: readonly ImageInput[] | undefined
}

/**
 * Presentation-attack checks. Available as `client.experimental.antispoof`. Each call is treated as billed, with an
 * `Idempotency-Key`.
 *
 * @experimental The contract lists only the paths (section 4.6). Bodies and results are therefore open.
 */
export interface Antispoof {
  /**
   * Sends a single image, or a live burst of 3 to 8 frames. The service returns a `human_score`.
   *
   * @experimental
   * @param params an `image`, or 3 to 8 `frames`. A single image is sent as a file of a form, frames as base64 in JSON
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * await client.experimental.antispoof.check({ image: selfie })
   */
  check(params: ExperimentalBody, options?: ImageRequestOptions): ApiPromise<unknown>

  /**
   * Checks liveness and returns a stable uuid, with which you can detect duplicates.
   *
   * @experimental
   * @param params an `image`, or 3 to 8 `frames`. A single image is sent as a file of a form, frames as base64 in JSON
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * await client.experimental.antispoof.identity({ frames: [first, second, third] })
   */
  identity(params: ExperimentalBody, options?: ImageRequestOptions): ApiPromise<unknown>
}

/**
 * Enrolled faces. Available as `client.experimental.faceUniqueness`.
 *
 * @experimental The contract lists only the paths (section 4.6). It gives the unlink operation no path, so there is no
 *   method for it.
 */
export interface FaceUniqueness {
  /**
   * Calls the face-uniqueness check, of which the contract shows the path only. The call is treated as billed, with an
   * `Idempotency-Key`.
   *
   * @experimental
   * @param params an `image`, which is sent as a file of a form, or with `encoding: 'json'` as base64
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   *
   * @example
   * await client.experimental.faceUniqueness.check({ image: selfie })
   */
  check(params: ExperimentalBody, options?: ImageRequestOptions): ApiPromise<unknown>

  /**
   * Removes an enrolled face. Retried only if the service executed nothing.
   *
   * @experimental
   *
   * @example
   * await client.experimental.faceUniqueness.delete(svcUuid)
   */
  delete(svcUuid: string, options?: RequestOptions): ApiPromise<unknown>
}

export const createAntispoof = (http: HttpClient): Antispoof => ({
  check: (params, options) => http.send(checkAntispoof, { body: params }, options),
  identity: (params, options) => http.send(identifyAntispoof, { body: params }, options),
})

export const createFaceUniqueness = (http: HttpClient): FaceUniqueness => ({
  check: (params, options) => http.send(checkFaceUniqueness, { body: params }, options),
  delete: (svcUuid, options) => http.send(deleteEnrolledFace, { path: { svc_uuid: svcUuid } }, options),
})
