import type { BodySource, ImageParams, RequestBody } from './body.ts'
import { isOneShot, type ReadOptions } from './image.ts'

/** A body whose images go as files of a form, or as base64 in JSON. What reads them is loaded with the first. */
export class ImageBody implements BodySource {
  readonly #given: ImageParams
  readonly #oneShot: boolean
  /** A body in memory: a repeat sends the very same bytes, whatever became of the caller's buffers. */
  #kept: RequestBody | undefined
  #begun = false
  readonly beginnings: Uint8Array[] = []

  constructor(given: ImageParams) {
    this.#given = { ...given, params: { ...given.params } }
    this.#oneShot = given.images.some((field) => isOneShot(given.params[field]))
  }

  get replayable(): boolean {
    return !this.#oneShot || !this.#begun
  }

  async open(boundary: () => Promise<string>, how: ReadOptions): Promise<RequestBody> {
    const { readImages, withProgress } = await import('./read-images.ts')
    if (this.#kept === undefined) {
      this.#begun = true
      this.beginnings.length = 0
    }
    const body = this.#kept ?? (await readImages(this.#given, { boundary, how, beginnings: this.beginnings }))
    if (body.data instanceof Uint8Array || typeof body.data === 'string') this.#kept = body
    const { onUploadProgress } = this.#given
    return onUploadProgress === undefined ? body : withProgress(body, onUploadProgress)
  }
}
