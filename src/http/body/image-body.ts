import { maxImageBytes } from '../../contract/service.ts'
import { type CallFacts, invalidParam } from '../../errors/call-errors.ts'
import { captureContext } from '../../runtime/async-context.ts'
import { BoundedBytes, joinBytes, piecesOf, toBase64 } from '../../runtime/bytes.ts'
import {
  type BodyCall,
  type BodySource,
  jsonHeaders,
  type ReadOptions,
  type RequestBody,
  sortedByName,
  toJson,
  type UploadProgress,
} from './body.ts'
import { changedMessage, imagesIn, isOneShot, snapshot } from './image.ts'
import { type OpenImage, openImage } from './open-image.ts'

/** The params of a call with images, and how they are sent. */
export interface ImageParams {
  readonly params: Readonly<Record<string, unknown>>
  /** Names of the fields that contain images. */
  readonly images: readonly string[]
  readonly encoding: 'multipart' | 'json'
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

/** A body with images, as files of a form or as base64 in JSON. */
export class ImageBody implements BodySource {
  #params: Readonly<Record<string, unknown>>
  /** The fields that contain images. */
  readonly #images: readonly string[]
  readonly #encoding: ImageParams['encoding']
  readonly #onUploadProgress: ImageParams['onUploadProgress']
  readonly #oneShot: boolean
  /** A body in memory. */
  #kept: RequestBody | undefined
  #started = false
  /** The version of the file of each field, as the first attempt found it. */
  readonly #versions = new Map<string, string>()

  constructor({ params, images, encoding, onUploadProgress }: ImageParams) {
    this.#images = images.filter((field) => params[field] !== undefined)
    // Now, because the body is encoded later, when the credentials are known.
    const copies = this.#images.map((field) => {
      const value = params[field]
      return [field, Array.isArray(value) ? value.map(snapshot) : snapshot(value)]
    })
    this.#params = { ...params, ...Object.fromEntries(copies) }
    this.#encoding = encoding
    this.#onUploadProgress = onUploadProgress
    this.#oneShot = images.some((field) => imagesIn(params[field]).some(isOneShot))
  }

  get replayable(): boolean {
    return !this.#oneShot || !this.#started
  }

  async open(call: BodyCall, how: ReadOptions): Promise<RequestBody> {
    this.#started = true
    const body = this.#kept ?? (this.#encoding === 'json' ? await this.#json(call) : await this.#form(call, how))
    if (body.data instanceof Uint8Array || typeof body.data === 'string') {
      this.#kept = body
      this.#params = {}
    }
    const report = this.#onUploadProgress
    return inThisContext(report === undefined ? body : withProgress(body, report))
  }

  async #json(call: BodyCall): Promise<RequestBody> {
    const fields = sortedByName(this.#params)
    for (const field of this.#images) fields[field] = await allAsText(field, fields[field], call)
    return { data: toJson(fields, call), headers: jsonHeaders }
  }

  async #form(call: BodyCall, how: ReadOptions): Promise<RequestBody> {
    const fields = sortedByName(this.#params)
    for (const field of this.#images) delete fields[field]
    const opened: OpenImage[] = []
    try {
      for (const field of this.#images) {
        const image = await openImage(field, this.#params[field], call, how)
        opened.push(image)
        this.#checkVersion(image, call)
      }
      return await encodeForm(await call.boundary(), textOf(fields, call), opened)
    } catch (thrown) {
      for (const image of opened) image.close?.()
      throw thrown
    }
  }

  /** All attempts of a call must send the same bytes, because they have the same idempotency key. */
  #checkVersion({ field, version }: OpenImage, call: CallFacts): void {
    if (version === undefined) return
    const first = this.#versions.get(field) ?? version
    this.#versions.set(field, first)
    if (version !== first) throw invalidParam(call, field, changedMessage)
  }
}

async function allAsText(field: string, value: unknown, call: CallFacts): Promise<string | string[]> {
  if (!Array.isArray(value)) return asText(field, value, call)
  const texts: string[] = []
  for (const [i, image] of value.entries()) texts.push(await asText(`${field}.${i}`, image, call))
  return texts
}

async function asText(field: string, input: unknown, call: CallFacts): Promise<string> {
  if (typeof input === 'string') return input
  const { data } = await openImage(field, input, call, { keepsChunks: true })
  return toBase64(data instanceof Uint8Array ? data : await allOf(data))
}

async function allOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  // A stream of an image fails before it reaches the limit.
  const bytes = new BoundedBytes(maxImageBytes)
  for await (const chunk of stream) bytes.add(chunk)
  return bytes.join()
}

/** The fields of a form, as text. */
const textOf = (fields: Readonly<Record<string, unknown>>, call: CallFacts): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === 'object' ? toJson(value, call) : String(value)]]
  })

/**
 * Encodes a multipart form: text fields first, then the images, each with a filename and a type. The form is one buffer
 * if every image is in memory, otherwise a stream, with a length if all sizes are known.
 */
async function encodeForm(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  images: readonly OpenImage[],
): Promise<RequestBody> {
  const { formFrames } = await import('#form-frames')
  const frames = formFrames(boundary, fields, images)
  const parts = frames.flatMap((frame, i) => {
    const image = images[i]
    return image ? [frame, image.data] : [frame]
  })
  const headers = ['content-type', `multipart/form-data; boundary=${boundary}`]
  if (parts.every((part) => part instanceof Uint8Array)) return { data: joinBytes(parts), headers }
  const sizes = [...frames.map(({ byteLength }) => byteLength), ...images.map(({ size = Number.NaN }) => size)]
  const sum = sizes.reduce((total, size) => total + size)
  const length = Number.isNaN(sum) ? undefined : sum
  const reading: Reading = { fault: undefined, isTaken: false }
  return {
    data: concatenate(parts, reading),
    headers: length === undefined ? headers : [...headers, 'content-length', String(length)],
    length,
    fault: () => reading.fault,
    isTaken: () => reading.isTaken,
    dispose() {
      for (const image of images) image.close?.()
    },
  }
}

interface Reading {
  /** Why a stream failed, because the transport would report a failure of the network. */
  fault: unknown
  isTaken: boolean
}

async function* concatenate(parts: readonly OpenImage['data'][], reading: Reading): AsyncGenerator<Uint8Array> {
  try {
    for (const [i, part] of parts.entries()) {
      // Before the last part, the end of the form, because nothing shows how much of a part was sent.
      reading.isTaken = i === parts.length - 1
      if (part instanceof Uint8Array) yield part
      else yield* part
    }
  } catch (thrown) {
    reading.fault = thrown
    throw thrown
  }
}

/** Returns the same body, in pieces, and reports each piece after the transport has taken it. */
function withProgress(body: RequestBody, report: (progress: UploadProgress) => void): RequestBody {
  const { data } = body
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (bytes === undefined) return body
  if (!(bytes instanceof Uint8Array)) return { ...body, data: counted(bytes, body.length, report) }
  const total = bytes.byteLength
  // A body in pieces has no length of its own.
  const headers = [...body.headers, 'content-length', String(total)]
  return { ...body, headers, data: counted(piecesOf(bytes), total, report) }
}

/**
 * Returns the same body. Its readers run in the async context of now, and so do the streams and the callbacks of the
 * caller: a connection has the context of the call that opened it, which may be another one.
 */
function inThisContext(body: RequestBody): RequestBody {
  const { data } = body
  if (data === undefined || typeof data === 'string' || data instanceof Uint8Array) return body
  const run = captureContext()
  const chunks = data[Symbol.asyncIterator]()
  const iterator = {
    next: () => run(() => chunks.next()),
    return: async () => run(() => chunks.return?.() ?? { value: undefined, done: true as const }),
  }
  return { ...body, data: { [Symbol.asyncIterator]: () => iterator } }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  total: number | undefined,
  report: (progress: UploadProgress) => void,
): AsyncGenerator<Uint8Array> {
  let loaded = 0
  for await (const chunk of chunks) {
    yield chunk
    loaded += chunk.byteLength
    report(total === undefined ? { loaded } : { loaded, total })
  }
}
