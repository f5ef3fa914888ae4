import { maxImageBytes } from '../../contract/service.ts'
import { decodedLength } from './base64.ts'
import type { ReadOptions } from './body.ts'

/** The bytes of an image: in memory, as a stream, or as base64 text or a data URL. */
export type ImageData =
  | Uint8Array
  | ArrayBuffer
  | Blob
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | string

export type ByteStream = AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>

/** Bytes that know their length and can be opened again: what {@link imageFromFile} makes. */
export const openFile: unique symbol = Symbol('openSized')

/** What {@link imageFromFile} returns: pass it as an image. It knows its length and can be opened again. */
export interface FileImage {
  /** Sent as the filename, where it can be one. */
  readonly name: string
  /** @hidden */
  [openFile](how: ReadOptions): Promise<{ readonly stream: ByteStream; readonly size: number | undefined }>
}

/**
 * An image to send. A stream (a Node `Readable`, a web `ReadableStream`) can be read once, so a call with one
 * is never retried; a function is asked again on each attempt, and so is {@link imageFromFile}.
 */
export type ImageInput =
  | ImageSource
  | {
      /** What is sent. */
      readonly data: ImageSource
      /** @default the name of the file, else the field's, with the ending of its type */
      readonly filename?: string | undefined
      /** @default told from the first bytes: JPEG, PNG, WebP, HEIC, else `application/octet-stream` */
      readonly contentType?: string | undefined
    }

/** The bytes of an image, or a function that gives them anew for each attempt. */
export type ImageSource =
  | ImageData
  | FileImage
  | (() => ImageData | FileImage | Promise<ImageData | FileImage>)

export const tooLargeMessage = `must be smaller than ${maxImageBytes / 2 ** 20} MiB`

const isReadableStream = (value: unknown): value is ReadableStream<Uint8Array> =>
  typeof ReadableStream !== 'undefined' && value instanceof ReadableStream

export const isAsyncIterable = (value: unknown): value is AsyncIterable<Uint8Array> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
export const isFileImage = (value: unknown): value is FileImage => isObject(value) && openFile in value
const isStream = (value: unknown): value is ByteStream =>
  !(value instanceof Uint8Array) && (isReadableStream(value) || isAsyncIterable(value))

export const isImageData = (value: unknown): value is ImageData =>
  (typeof value === 'string' && value !== '') ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob ||
  isStream(value)

const isSource = (value: unknown): value is ImageSource =>
  isImageData(value) || isFileImage(value) || typeof value === 'function'

interface NormalizedImage {
  readonly data: ImageSource
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
}

export function normalizeImage(input: unknown): NormalizedImage | undefined {
  if (isSource(input)) return { data: input }
  if (!isObject(input) || !('data' in input) || !isSource(input.data)) return undefined
  return input as NormalizedImage
}

/** Without folders, and without what could end a header. */
export const isFilename = (name: unknown): name is string =>
  typeof name === 'string' && /^[^\p{Cc}/\\]+$/u.test(name)

export const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

/** What makes a value unfit as an image, before anything of it is read. */
export function imageIssue(input: unknown): string | undefined {
  const image = normalizeImage(input)
  if (image === undefined)
    return 'must be an image: bytes, a Blob, a stream, base64, a data URL or a function'
  const { data, filename, contentType } = image
  if (contentType !== undefined && !mediaType.test(contentType)) return 'has no valid contentType'
  if (filename !== undefined && !isFilename(filename)) return 'has no valid filename'
  if (typeof data === 'string' && decodedLength(data) === undefined) return 'must be base64 or a data URL'
  const size = sizeOf(data)
  return size !== undefined && size >= maxImageBytes ? tooLargeMessage : undefined
}

function sizeOf(data: unknown): number | undefined {
  if (typeof data === 'string') return decodedLength(data)
  if (data instanceof Blob) return data.size
  return data instanceof Uint8Array || data instanceof ArrayBuffer ? data.byteLength : undefined
}

/** Whether the image can be read one time only. */
export function isOneShot(input: unknown): boolean {
  const image = normalizeImage(input)
  return image !== undefined && isStream(image.data)
}
