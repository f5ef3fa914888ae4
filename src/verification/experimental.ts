import {
  checkAntispoof,
  checkFaceUniqueness,
  deleteEnrolledFace,
  type ExperimentalBody,
  identifyAntispoof,
} from '../contract/verification/experimental.ts'
import type { ApiPromise } from '../http/api-promise.ts'
import type { HttpClient } from '../http/http-client.ts'
import type { RequestOptions } from '../http/params/options.ts'

/**
 * Presentation-attack checks. Available as `client.antispoof`. Each call is billed and carries an `Idempotency-Key`.
 *
 * @experimental The contract lists only the paths (section 4.6). Bodies and results are therefore open. Send images as
 *   base64 text.
 */
export class Antispoof {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Checks whether an image, or a live burst of 3 to 8 frames, shows a person who is present.
   *
   * @experimental
   * @param params if it has `frames`, 3 to 8 of them
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   * @see service contract, sections 4.6 and 8
   *
   * @example
   * await client.antispoof.check({ frames: [first, second, third] })
   */
  check(params: ExperimentalBody, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(checkAntispoof, { body: params }, options)
  }

  /**
   * Checks liveness and returns a stable uuid, with which you can detect duplicates.
   *
   * @experimental
   * @param params if it has `frames`, 3 to 8 of them
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   * @see service contract, sections 4.6 and 8
   *
   * @example
   * await client.antispoof.identity({ frames: [first, second, third] })
   */
  identity(params: ExperimentalBody, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(identifyAntispoof, { body: params }, options)
  }
}

/**
 * Enrolled faces. Available as `client.faceUniqueness`.
 *
 * @experimental The contract lists only the paths (section 4.6). It gives the unlink operation no path, so there is no
 *   method for it.
 */
export class FaceUniqueness {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Searches for an enrolled face. The call is billed and carries an `Idempotency-Key`.
   *
   * @experimental
   * @throws {OutcomeUnknownError} no definite response: retry with its `idempotencyKey`
   * @see service contract, section 4.6
   *
   * @example
   * await client.faceUniqueness.check({ selfie })
   */
  check(params: ExperimentalBody, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(checkFaceUniqueness, { body: params }, options)
  }

  /**
   * Removes an enrolled face. Retried only if the service executed nothing.
   *
   * @experimental
   * @see service contract, section 4.6
   *
   * @example
   * await client.faceUniqueness.delete(svcUuid)
   */
  delete(svcUuid: string, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(deleteEnrolledFace, { path: { svc_uuid: svcUuid } }, options)
  }
}
