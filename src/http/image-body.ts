import { joinBytes, toBase64 } from '#platform'
import type { CallFacts } from '../errors/call-errors.ts'
import { type CallBody, jsonHeaders, type OpenBody, type UploadProgress } from './body.ts'
import { isOneShot, type OpenImage, type Opening, openImage } from './image.ts'
import { inOneOrder, writeJson } from './json.ts'
import { encodeForm } from './multipart.ts'
import { withProgress } from './upload-progress.ts'

interface ImageParams {
  readonly params: Readonly<Record<string, unknown>>
  readonly images: readonly string[]
  readonly call: CallFacts
  readonly onUploadProgress?: ((progress: UploadProgress) => void) | undefined
}

/** A body whose images go as files of a form, or as base64 in JSON. */
export class ImageBody implements CallBody {
  readonly #given: ImageParams
  readonly #encoding: 'multipart' | 'json'
  readonly #oneShot: boolean
  /** A body in memory: a repeat sends the very same bytes, whatever became of the caller's buffers. */
  #kept: OpenBody | undefined
  #begun = false
  readonly beginnings: Uint8Array[] = []

  constructor(given: ImageParams, encoding: 'multipart' | 'json') {
    this.#given = { ...given, params: { ...given.params } }
    this.#encoding = encoding
    this.#oneShot = given.images.some((field) => isOneShot(given.params[field]))
  }

  get repeatable(): boolean {
    return !this.#oneShot || !this.#begun
  }

  async open(boundary: () => Promise<string>, how: Opening): Promise<OpenBody> {
    const { onUploadProgress } = this.#given
    const body = this.#kept ?? (await this.#read(boundary, how))
    if (body.data instanceof Uint8Array || typeof body.data === 'string') this.#kept = body
    return onUploadProgress === undefined ? body : withProgress(body, onUploadProgress)
  }

  async #read(boundary: () => Promise<string>, how: Opening): Promise<OpenBody> {
    this.#begun = true
    this.beginnings.length = 0
    const { params, images, call } = this.#given
    const present = images.filter((field) => params[field] !== undefined)
    const fields = inOneOrder(params)
    if (this.#encoding === 'json') {
      for (const field of present) fields[field] = await this.#asText(field)
      return { data: writeJson(fields, call), headers: jsonHeaders }
    }
    for (const field of present) delete fields[field]
    const opened: OpenImage[] = []
    try {
      for (const field of present) opened.push(await this.#open(field, how))
      const faults: unknown[] = []
      const watched = opened.map((image) => ({ ...image, data: watch(image.data, faults, this.beginnings) }))
      return {
        ...(await encodeForm(await boundary(), textOf(fields, call), watched)),
        fault: () => faults[0],
      }
    } catch (thrown) {
      for (const image of opened) image.close?.()
      throw thrown
    }
  }

  #open(field: string, how: Opening): Promise<OpenImage> {
    return openImage(field, this.#given.params[field], this.#given.call, how)
  }

  async #asText(field: string): Promise<string> {
    const input = this.#given.params[field]
    if (typeof input === 'string') return input
    const { data } = await this.#open(field, { keepsChunks: true })
    const chunks: Uint8Array[] = []
    if (data instanceof Uint8Array) chunks.push(data)
    else for await (const chunk of data) chunks.push(chunk)
    const bytes = joinBytes(chunks)
    this.beginnings.push(bytes.subarray(0, beginningBytes))
    return toBase64(bytes)
  }
}

/** The fields of a form, as text. */
const textOf = (fields: Readonly<Record<string, unknown>>, call: CallFacts): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === 'object' ? writeJson(value, call) : String(value)]]
  })

/** Of an image, kept to know its words by where they are echoed. */
const beginningBytes = 4096

/** Remembers how an image begins, and why a stream broke: the transport would call it a network failure. */
function watch(data: OpenImage['data'], faults: unknown[], beginnings: Uint8Array[]): OpenImage['data'] {
  if (!(data instanceof Uint8Array)) return watched(data, faults, beginnings)
  beginnings.push(data.subarray(0, beginningBytes))
  return data
}

async function* watched(
  source: AsyncIterable<Uint8Array>,
  faults: unknown[],
  beginnings: Uint8Array[],
): AsyncGenerator<Uint8Array> {
  let missing = beginningBytes
  try {
    for await (const chunk of source) {
      // A copy: the source may use the memory of a chunk again.
      if (missing > 0) beginnings.push(chunk.slice(0, missing))
      missing -= chunk.byteLength
      yield chunk
    }
  } catch (thrown) {
    faults.push(thrown)
    throw thrown
  }
}
