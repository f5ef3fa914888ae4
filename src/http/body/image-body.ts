import { loadModule } from '../../errors/module-load.ts'
import type { AttemptContext, BodySource, ImageParams, ReadOptions, RequestBody } from './body.ts'
import { imagesIn, isOneShot } from './image.ts'
import type { SentImage } from './sent-image.ts'

/** A body with images, as files of a form or as base64 in JSON. The code that reads them is loaded with the first. */
export class ImageBody implements BodySource {
  readonly #given: ImageParams
  readonly #oneShot: boolean
  /** A body in memory. A retry sends the same bytes even if the caller has changed the buffers. */
  #kept: RequestBody | undefined
  #started = false
  readonly beginnings: Uint8Array[] = []
  readonly #sent: Map<string, SentImage> | undefined

  constructor(given: ImageParams) {
    this.#given = { ...given, params: { ...given.params } }
    this.#oneShot = given.images.some((field) => imagesIn(given.params[field]).some(isOneShot))
    this.#sent = this.#oneShot ? undefined : new Map()
  }

  get replayable(): boolean {
    return !this.#oneShot || !this.#started
  }

  async open(attempt: AttemptContext, how: ReadOptions): Promise<RequestBody> {
    // Set before the code is loaded: if the attempt times out meanwhile, it still reads the stream, and a second
    // attempt would get what is left of it.
    this.#started = true
    const { readImages, withProgress } = await loadModule(
      'the code of images',
      () => import('./read-images.ts'),
    )
    if (this.#kept === undefined) this.beginnings.length = 0
    const reading = { attempt, how, beginnings: this.beginnings, sent: this.#sent }
    const body = this.#kept ?? (await readImages(this.#given, reading))
    if (body.data instanceof Uint8Array || typeof body.data === 'string') this.#kept = body
    const { onUploadProgress } = this.#given
    return onUploadProgress === undefined ? body : withProgress(body, onUploadProgress)
  }
}
