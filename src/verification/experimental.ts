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
 * Presentation-attack checks. Reached as `client.antispoof`.
 *
 * @experimental The contract names only their paths (section 4.6): bodies and answers are open, images go as
 *   base64 text. Calls are billed and carry an `Idempotency-Key`.
 */
export class Antispoof {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Tells whether a picture, or a live burst of 3 to 8 frames, shows somebody who is there.
   *
   * @experimental
   * @param params `frames`, where given, holds 3 to 8
   * @see service contract, sections 4.6 and 8
   *
   * @example
   * await client.antispoof.check({ frames: [first, second, third] })
   */
  check(params: ExperimentalBody, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(checkAntispoof, { body: params }, options)
  }

  /**
   * Also tells people apart, to find duplicates.
   *
   * @experimental
   * @param params `frames`, where given, holds 3 to 8
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
 * Enrolled faces. Reached as `client.faceUniqueness`.
 *
 * @experimental The contract names only the paths (section 4.6). Its unlink operation has none there and is
 *   not offered.
 */
export class FaceUniqueness {
  readonly #http: HttpClient

  /** @internal */
  constructor(http: HttpClient) {
    this.#http = http
  }

  /**
   * Looks for an enrolled face.
   *
   * @experimental
   * @see service contract, section 4.6
   *
   * @example
   * await client.faceUniqueness.check({ selfie })
   */
  check(params: ExperimentalBody, options?: RequestOptions): ApiPromise<unknown> {
    return this.#http.send(checkFaceUniqueness, { body: params }, options)
  }

  /**
   * Removes an enrolled face.
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
