import type { AttemptContext, BodySource, ImageParams, ReadOptions, RequestBody } from './body.ts'
import { imagesIn, isOneShot } from './image.ts'
import { readImages } from './read-images.ts'
import { withProgress } from './upload-progress.ts'

/** A body with images, as files of a form or as base64 in JSON. */
export class ImageBody implements BodySource {
  readonly #given: ImageParams
  readonly #oneShot: boolean
  /** A body in memory. A retry sends the same bytes even if the caller has changed the buffers. */
  #kept: RequestBody | undefined
  #started = false
  /** The version of the file of each field, as the first attempt found it. */
  readonly #versions = new Map<string, string>()

  constructor(given: ImageParams) {
    this.#given = { ...given, params: { ...given.params } }
    this.#oneShot = given.images.some((field) => imagesIn(given.params[field]).some(isOneShot))
  }

  get replayable(): boolean {
    return !this.#oneShot || !this.#started
  }

  async open(attempt: AttemptContext, how: ReadOptions): Promise<RequestBody> {
    this.#started = true
    const body = this.#kept ?? (await readImages(this.#given, { attempt, how, versions: this.#versions }))
    if (body.data instanceof Uint8Array || typeof body.data === 'string') this.#kept = body
    const { onUploadProgress } = this.#given
    return onUploadProgress === undefined ? body : withProgress(body, onUploadProgress)
  }
}
