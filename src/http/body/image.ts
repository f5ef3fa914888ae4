import type { Endpoint } from '../../contract/endpoint.ts'
import { maxImageBytes } from '../../contract/service.ts'
import { isArrayBuffer, isBytes } from '../../runtime/bytes.ts'
import { decodedLength } from './base64.ts'
import type { ReadOptions } from './body.ts'

/** The bytes of an image: in memory, as a stream, or in a data URL with base64. */
export type ImageBytes =
  | Uint8Array
  | ArrayBuffer
  | Blob
  // Text, because the type of a stream of Node may be `NodeJS.ReadableStream`. A stream of text is rejected.
  | AsyncIterable<Uint8Array | string>
  | ReadableStream<Uint8Array>
  | DataUrl

/** A data URL. Other text is not an image, because a path or a URL can look like base64. */
type DataUrl = `data:${string}`

export type ByteStream = AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>

/**
 * Name of the method that opens the file of a {@link FileImage}. Not a symbol, so that two copies of the package fit.
 */
export const openFile = '~openFile'

/** An image in a file, created by {@link imageFromFile}. It is opened again for each attempt. */
export interface FileImage {
  /** The name of the file, sent as the filename if it is a valid one. */
  readonly name: string
  /** @hidden */
  [openFile](how: ReadOptions): Promise<OpenFile>
}

/** A file that was opened, or why its path cannot be sent. */
type OpenFile =
  | {
      readonly stream: ByteStream
      readonly size: number
      /** Differs after the file was written or replaced. */
      readonly version: string
      readonly issue?: undefined
    }
  | { readonly issue: string }

/**
 * An image to send. Text is a data URL, or base64 in `{ base64 }`: other text is rejected, because a path can look like
 * base64. For a file, pass {@link imageFromFile}.
 *
 * A stream (a Node `Readable` or a web `ReadableStream`) can be read only once, so a call with a stream is never
 * retried after its first byte was read, and a stream that was read before is rejected. A stream that fails ends the
 * call with `ImageReadError`, and one that a size limit has cut short (`truncated` of busboy) with
 * `InvalidParamsError`: neither request is completed. A function is called again for each attempt, and a file is opened
 * again.
 */
export type ImageInput = ImageSource | NamedImage | Base64Image

/** An image, or a function that returns it. The function is called for each attempt, and must return the same bytes. */
type ImageSource =
  | ImageBytes
  | FileImage
  // Its body is the image.
  | Request
  | (() => ImageBytes | FileImage | Base64Image | Promise<ImageBytes | FileImage | Base64Image>)

/** How an image is sent. */
interface ImageNames {
  /**
   * The filename. One with a folder or a control character counts as missing, because it may be that of a person's file.
   *
   * @default the name of the file, else the field's name with the extension of its type
   */
  readonly filename?: string | undefined
  /**
   * The media type. One that is empty or not valid counts as missing.
   *
   * @default detected from the bytes (JPEG, PNG, WebP, HEIC), else that of a data URL or a Blob, else
   *   `application/octet-stream`
   */
  readonly contentType?: string | undefined
}

/** An image with a filename, a media type or a size. */
export interface NamedImage extends ImageNames {
  /**
   * The number of bytes, if you know it. An image of another size, such as a stream that a host has cut, ends the call
   * with `InvalidParamsError` before its end is sent, so that it cannot be billed.
   *
   * @default the `content-length` of a `Request`, otherwise unknown
   */
  readonly size?: number | undefined
  /** The image. */
  readonly data: ImageSource
  /** Not together with `data`. */
  readonly base64?: undefined
}

/** An image as text. */
export interface Base64Image extends ImageNames {
  /** The image in base64 or base64url. Padding may be missing. A data URL with base64 is accepted too. */
  readonly base64: string
  /** Not together with `base64`. */
  readonly data?: undefined
}

export const imageForm = 'must be bytes, a stream, a data URL or { base64 }. To read a file, pass imageFromFile(path)'
const dataUrlForm = 'must be a data URL with base64, such as data:image/png;base64,iVBORw0KGgo'
const base64Form = 'has an invalid base64. To read a file, pass imageFromFile(path)'
export const changedMessage =
  'is a file that changed, so the request was cut off. Do not write to a file while a call sends it'
export const truncatedMessage =
  'was cut short by a size limit, such as limits.fileSize of busboy, so it was not sent completely. Respond with 413, or raise the limit'
export const otherSizeMessage = (received: number, size: number) =>
  received > size
    ? `has more than ${size} bytes, so it was not sent completely. The content-length of a compressed response is not its size`
    : `has ${received} of ${size} bytes, so it was not sent completely. A host or a proxy may have cut it, such as Next.js with a proxy.ts at 10 MB`
const formMessage = 'is a request with a form. Pass the file of the form: (await request.formData()).get(name)'
export const emptyMessage =
  'has no bytes. A form without a chosen file sends an empty one, and a stream that was read before is empty'
/** A function, so that a bundler drops it. */
export const tooLarge = () => `must be smaller than ${maxImageBytes / 2 ** 20} MiB`

export const isReadableStream = (value: unknown): value is ReadableStream<Uint8Array> =>
  typeof ReadableStream !== 'undefined' && value instanceof ReadableStream

export const isAsyncIterable = (value: unknown): value is AsyncIterable<Uint8Array | string> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

export const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
export const isFileImage = (value: unknown): value is FileImage => isObject(value) && openFile in value
const isStream = (value: unknown): value is ByteStream =>
  !isBytes(value) && (isReadableStream(value) || isAsyncIterable(value))

const isDataUrl = (value: unknown): value is DataUrl => typeof value === 'string' && /^data:/i.test(value)

/** Not `instanceof`, because libraries of forms have classes of their own. */
export const isBlob = (value: unknown): value is Blob => {
  const { size, stream, arrayBuffer } = Object(value) as Partial<Record<keyof Blob, unknown>>
  return typeof size === 'number' && typeof stream === 'function' && typeof arrayBuffer === 'function'
}

export const isImageData = (value: unknown): value is ImageBytes =>
  isDataUrl(value) || isBytes(value) || isArrayBuffer(value) || isBlob(value) || isStream(value)

/** Not `instanceof`, because hosts have requests of their own. A stream of Node may have headers, and no `bodyUsed`. */
export const isRequest = (value: unknown): value is Request =>
  isObject(value) && 'bodyUsed' in value && 'headers' in value

/** Returns the body of a request as an image of the size that its headers announce. */
export function ofRequest(image: Omit<NamedImage, 'data'>, { body, headers }: Request): NamedImage | undefined {
  if (body === null) return undefined
  // The length of a compressed body says nothing about the image.
  const announced = headers.get('content-encoding') === null ? headers.get('content-length') : null
  return { ...image, data: body, size: image.size ?? (announced === null ? undefined : Number(announced)) }
}

const isSource = (value: unknown): value is Exclude<ImageSource, Request> =>
  isImageData(value) || isFileImage(value) || typeof value === 'function'

/** True for an image as text. Whether the text is base64 is not known yet. */
export const isBase64Image = (value: unknown): value is Base64Image => {
  const { base64, data } = Object(value) as Partial<Record<string, unknown>>
  return base64 !== undefined && data === undefined
}

export function normalizeImage(input: unknown): NamedImage | Base64Image | undefined {
  if (isSource(input)) return { data: input }
  if (isRequest(input)) return ofRequest({}, input)
  if (isBase64Image(input)) return input
  const { base64, data } = Object(input) as Partial<Record<string, unknown>>
  if (base64 === undefined && isRequest(data)) return ofRequest(input as NamedImage, data)
  return base64 === undefined && isSource(data) ? (input as NamedImage) : undefined
}

/** Returns the fields of a body that contain an image, or a list of images. */
export const imageFields = (
  { images = [], imageLists = [] }: Pick<Endpoint, 'images' | 'imageLists'>,
  body: Readonly<Record<string, unknown>>,
): readonly string[] => [
  ...images.filter((field) => body[field] !== undefined),
  ...imageLists.filter((field) => Array.isArray(body[field])),
]

/** Returns the images of a field. */
export const imagesIn = (field: unknown): readonly unknown[] => (Array.isArray(field) ? field : [field])

/** Returns an image that stays the same if the caller uses its memory again, as the buffer of a camera is. */
export function snapshot(image: unknown): unknown {
  if (isBytes(image)) return new Uint8Array(image)
  if (isArrayBuffer(image)) return image.slice(0)
  // By name, because objects of databases have getters.
  const { data, base64, filename, contentType, size } = Object(image) as Partial<Record<string, unknown>>
  const names = { filename, contentType, size }
  if (base64 !== undefined && data === undefined) return { base64, ...names }
  return isBytes(data) || isArrayBuffer(data) ? { data: snapshot(data), ...names } : image
}

/** A file was written while it was read. */
export class ChangedFile extends Error {}

/** Returns a name without folders and control characters, because those could end a header. */
export const validFilename = (name: unknown): string | undefined =>
  typeof name === 'string' && /^[^\p{Cc}/\\]+$/u.test(name) ? name : undefined

export const validMediaType = (type: string | undefined): string | undefined =>
  mediaTypeForm.test(type ?? '') ? type : undefined

const mediaTypeForm = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

/** Returns why a value cannot be sent as an image, as far as that is known before it is read. */
export function imageIssue(input: unknown): string | undefined {
  const image = normalizeImage(input)
  if (image === undefined) return imageForm
  const ofHost = requestIssue(input) ?? requestIssue(Object(input).data)
  if (ofHost !== undefined) return ofHost
  const { data, base64 } = image
  for (const name of ['filename', 'contentType'] as const)
    if (typeof (image[name] ?? '') !== 'string') return `has a ${name} that is not a string`
  const { size: given } = image as NamedImage
  if (given !== undefined && !Number.isSafeInteger(given)) return 'has an invalid size'
  const size = base64 === undefined ? (sizeOf(data) ?? given) : decodedLength(base64)
  if (base64 !== undefined && size === undefined) return base64Form
  if (typeof data === 'string' && size === undefined) return dataUrlForm
  if (size === 0) return emptyMessage
  return size !== undefined && size >= maxImageBytes ? tooLarge() : undefined
}

/** Returns why the body of a request, or of the response of a download, is not an image. */
export function requestIssue(value: unknown): string | undefined {
  if (!isRequest(value)) return undefined
  const { ok, status } = value as Request & Partial<Response>
  if (ok === false) return `is a response with the status ${status}, not an image`
  return /^multipart\//i.test(value.headers.get('content-type') ?? '') ? formMessage : undefined
}

function sizeOf(data: unknown): number | undefined {
  if (typeof data === 'string') return decodedLength(data)
  if (isBlob(data)) return data.size
  return isBytes(data) || isArrayBuffer(data) ? data.byteLength : undefined
}

/**
 * Handles the `error` event of a stream. Without a listener, a stream that fails before it is read, or after, ends the
 * process. Reading it throws the error.
 */
export function handleErrorEvent(input: unknown): void {
  const { on } = Object(normalizeImage(input)?.data) as { readonly on?: unknown }
  if (isOneShot(input) && typeof on === 'function') on.call(normalizeImage(input)?.data, 'error', () => {})
}

/** True if the image can be read only once. */
export const isOneShot = (input: unknown): boolean => isStream(normalizeImage(input)?.data)
