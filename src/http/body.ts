import { type CallFacts, InvalidParamsError } from '../errors/call-errors.ts'
import { isSdkError } from '../errors/sdk-error.ts'
import { isOneShot, type OpenImage, openImage } from './image.ts'
import { encodeForm } from './multipart.ts'
import type { TransportRequest } from './transport.ts'

/** How far an upload has come, in bytes of the request's body. */
export interface UploadProgress {
  readonly loaded: number
  /** Missing where a stream does not tell its length. */
  readonly total?: number | undefined
}

/** A body ready for one attempt. */
export interface OpenBody {
  readonly data: TransportRequest['body']
  /** Names and values, one after the other. */
  readonly headers: readonly string[]
  readonly length?: number | undefined
  /** Closes what the attempt left open, such as a file of which half was read. */
  readonly dispose?: () => void
}

/** The body of one logical call, opened anew for each of its attempts. */
export interface CallBody {
  open(boundary: () => Promise<string>): OpenBody | Promise<OpenBody>
  /** False once a stream that can be read one time only has been begun. */
  readonly repeatable: boolean
  /** What went wrong while the body was read, which is not the network's fault. */
  readonly fault: unknown
}

const jsonHeaders = ['content-type', 'application/json'] as const

const nothing: OpenBody = { data: undefined, headers: [] }

export const noBody: CallBody = { open: () => nothing, repeatable: true, fault: undefined }

/** @throws {InvalidParamsError} for what JSON cannot hold, such as a cycle or a BigInt */
export function jsonBody(value: unknown, call: CallFacts): CallBody {
  let data: string
  try {
    data = JSON.stringify(value)
  } catch (thrown) {
    throw new InvalidParamsError([{ path: 'params', message: 'cannot be written as JSON' }], call, thrown)
  }
  const body: OpenBody = { data, headers: jsonHeaders }
  return { open: () => body, repeatable: true, fault: undefined }
}

/** Same params, same bytes: the order in which a caller wrote them must not tell two repeats apart. */
export const inOneOrder = (params: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(params).sort(([a], [b]) => (a < b ? -1 : 1)))

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
  #kept: OpenBody | undefined
  #begun = false
  #fault: unknown

  constructor(given: ImageParams, encoding: 'multipart' | 'json') {
    this.#given = given
    this.#encoding = encoding
    this.#oneShot = given.images.some((field) => isOneShot(given.params[field]))
  }

  get repeatable(): boolean {
    return this.#kept !== undefined || !this.#oneShot || !this.#begun
  }

  get fault(): unknown {
    return this.#fault
  }

  async open(boundary: () => Promise<string>): Promise<OpenBody> {
    const { onUploadProgress } = this.#given
    const body = this.#kept ?? (await this.#read(boundary))
    if (onUploadProgress === undefined) return body
    return { ...body, data: counted(body, onUploadProgress) }
  }

  async #read(boundary: () => Promise<string>): Promise<OpenBody> {
    this.#begun = true
    const { params, images, call } = this.#given
    const present = images.filter((field) => params[field] !== undefined)
    const fields = inOneOrder(params)
    if (this.#encoding === 'json') {
      for (const field of present) fields[field] = await this.#asText(field)
      const data = JSON.stringify(fields)
      this.#kept = { data, headers: jsonHeaders, length: new TextEncoder().encode(data).byteLength }
      return this.#kept
    }
    for (const field of present) delete fields[field]
    const opened: OpenImage[] = []
    for (const field of present) opened.push(this.#watched(await openImage(field, params[field], call)))
    const form = await encodeForm(await boundary(), fields, opened)
    // In memory it is kept: a repeat sends the very same bytes, whatever became of the caller's buffers.
    if (form.data instanceof Uint8Array) this.#kept = form
    return form
  }

  async #asText(field: string): Promise<string> {
    const input = this.#given.params[field]
    if (typeof input === 'string') return input
    const { data } = this.#watched(await openImage(field, input, this.#given.call))
    const chunks: Uint8Array[] = []
    if (data instanceof Uint8Array) chunks.push(data)
    else for await (const chunk of data) chunks.push(chunk)
    return Buffer.concat(chunks).toString('base64')
  }

  /** Remembers why a stream broke: the transport would call it a network failure. */
  #watched(image: OpenImage): OpenImage {
    if (image.data instanceof Uint8Array) return image
    const source = image.data
    const watched = async function* (this: ImageBody) {
      try {
        yield* source
      } catch (thrown) {
        const issue = { path: image.field, message: 'could not be read' }
        this.#fault = isSdkError(thrown) ? thrown : new InvalidParamsError([issue], this.#given.call, thrown)
        throw this.#fault
      }
    }
    return { ...image, data: watched.call(this) }
  }
}

/** Bytes that are handed over between two reports of progress. */
const progressStep = 64 * 1024

async function* counted(
  { data, length }: OpenBody,
  report: (progress: UploadProgress) => void,
): AsyncGenerator<Uint8Array> {
  let loaded = 0
  for await (const chunk of pieces(data)) {
    yield chunk
    loaded += chunk.byteLength
    report(length === undefined ? { loaded } : { loaded, total: length })
  }
}

async function* pieces(data: OpenBody['data']): AsyncGenerator<Uint8Array> {
  if (data === undefined) return
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (!(bytes instanceof Uint8Array)) return yield* bytes
  for (let start = 0; start < bytes.byteLength; start += progressStep) {
    yield bytes.subarray(start, start + progressStep)
  }
}
