import { maxImageBytes } from '../contract/service.ts'
import { type CallFacts, InvalidParamsError } from '../errors/call-errors.ts'
import { decodedLength, fromBase64 } from './base64.ts'
import {
  type ByteStream,
  beginStream,
  isAsyncIterable,
  isReadableStream,
  tooLargeFault,
} from './image-stream.ts'
import { endings, sniffType } from './image-type.ts'

/** The bytes of an image: in memory, as a stream, or as base64 text or a data URL. */
export type ImageData =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | string

/** Bytes that know their length and can be opened again: what {@link imageFromFile} makes. */
export const openSized: unique symbol = Symbol('openSized')

/** How bytes will be looked at. */
export interface Opening {
  /** Whether a chunk is still looked at after the next one was asked for, so that its memory is not free yet. */
  readonly keepsChunks: boolean
}

export interface SizedSource {
  [openSized](how: Opening): Promise<{ readonly stream: ByteStream; readonly size: number | undefined }>
}

/**
 * An image to send. A stream (a Node `Readable`, a web `ReadableStream`) can be read once, so a call with one
 * is never retried; a function is asked again on each attempt, and so is {@link imageFromFile}.
 */
export type ImageInput =
  | ImageSource
  | {
      readonly data: ImageSource
      /** @default the name of the file, else the field's, with the ending of its type */
      readonly filename?: string | undefined
      /** @default told from the first bytes: JPEG, PNG, WebP, HEIC, else `application/octet-stream` */
      readonly contentType?: string | undefined
    }

type ImageSource =
  | ImageData
  | SizedSource
  | (() => ImageData | SizedSource | Promise<ImageData | SizedSource>)

/** An image opened for one attempt. */
export interface OpenImage {
  readonly field: string
  readonly filename: string
  readonly contentType: string
  /** In memory, or as a stream. */
  readonly data: Uint8Array | AsyncIterable<Uint8Array>
  /** Bytes, where they are known before they are read. */
  readonly size: number | undefined
  /** Lets go of a stream, however much of it was read. */
  readonly close?: () => void
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isSized = (value: unknown): value is SizedSource => isObject(value) && openSized in value
const isStream = (value: unknown): value is ByteStream =>
  !(value instanceof Uint8Array) && (isReadableStream(value) || isAsyncIterable(value))

const isData = (value: unknown): value is ImageData =>
  (typeof value === 'string' && value !== '') ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob ||
  isStream(value)

const isSource = (value: unknown): value is ImageSource =>
  isData(value) || isSized(value) || typeof value === 'function'

interface Described {
  readonly data: ImageSource
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
}

function describe(input: unknown): Described | undefined {
  if (isSource(input)) return { data: input }
  if (!isObject(input) || !('data' in input) || !isSource(input.data)) return undefined
  return input as Described
}

/** Without folders, and without what could end a header. */
const isFilename = (name: unknown): name is string =>
  typeof name === 'string' && /^[^\p{Cc}/\\]+$/u.test(name)

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

/** What makes a value unfit as an image, before anything of it is read. */
export function imageFault(input: unknown): string | undefined {
  const image = describe(input)
  if (image === undefined)
    return 'must be an image: bytes, a Blob, a stream, base64, a data URL or a function'
  const { data, filename, contentType } = image
  if (contentType !== undefined && !mediaType.test(contentType))
    return 'has a contentType that is no media type'
  if (filename !== undefined && !isFilename(filename)) return 'has a filename that is none'
  if (typeof data === 'string' && decodedLength(data) === undefined) return 'must be base64 or a data URL'
  const size = sizeOf(data)
  return size !== undefined && size >= maxImageBytes ? tooLargeFault : undefined
}

function sizeOf(data: unknown): number | undefined {
  if (typeof data === 'string') return decodedLength(data)
  if (data instanceof Blob) return data.size
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? data.byteLength : undefined
}

/** Whether the image can be read one time only. */
export function isOneShot(input: unknown): boolean {
  const image = describe(input)
  return image !== undefined && isStream(image.data)
}

/**
 * Opens an image for one attempt. A stream is begun, so that its type can be told from its first bytes.
 *
 * @throws {InvalidParamsError} for what turns out to be no image, or too large
 */
export async function openImage(
  field: string,
  input: unknown,
  call: CallFacts,
  how: Opening,
): Promise<OpenImage> {
  const refuse = (message: string, cause?: unknown) =>
    new InvalidParamsError([{ path: field, message }], call, cause)
  const described = describe(input)
  if (described === undefined) throw refuse('is no image')
  const { source, size } = await resolve(described.data, how).catch((thrown) => {
    throw refuse('could not be opened', thrown)
  })
  if (!isData(source)) throw refuse('is no image')
  const fault = imageFault(source)
  if (fault !== undefined) throw refuse(fault)
  const { bytes, declared, stream } = await read(source, refuse)
  if (stream && size !== undefined && size >= maxImageBytes) {
    stream.close()
    throw refuse(tooLargeFault)
  }
  const contentType = described.contentType ?? declared ?? sniffType(bytes)
  return {
    field,
    filename: described.filename ?? nameOf(described.data) ?? `${field}${endings[contentType] ?? ''}`,
    contentType,
    ...(stream ? { data: stream.bytes, size, close: stream.close } : { data: bytes, size: bytes.byteLength }),
  }
}

/** Asks a function, opens a file. What comes of it may still be no image. */
async function resolve(
  data: ImageSource,
  how: Opening,
): Promise<{ source: unknown; size: number | undefined }> {
  const source = typeof data === 'function' ? await data() : data
  if (!isSized(source)) return { source, size: undefined }
  const { stream, size } = await source[openSized](how)
  return { source: stream, size }
}

async function read(source: ImageData, refuse: (message: string, cause?: unknown) => Error) {
  if (typeof source === 'string') {
    const { bytes, contentType: declared } = fromBase64(source)
    return { bytes, declared }
  }
  if (source instanceof Blob) {
    const bytes = await source.arrayBuffer().catch((thrown) => {
      throw refuse('could not be read', thrown)
    })
    return { bytes: new Uint8Array(bytes), declared: mediaType.test(source.type) ? source.type : undefined }
  }
  if (source instanceof Uint8Array) return { bytes: source }
  if (source instanceof ArrayBuffer) return { bytes: new Uint8Array(source) }
  const stream = await beginStream(source, refuse)
  return stream.ended ? { bytes: stream.first } : { bytes: stream.first, stream }
}

const nameOf = (data: unknown) =>
  isObject(data) && 'name' in data && isFilename(data.name) ? data.name : undefined
