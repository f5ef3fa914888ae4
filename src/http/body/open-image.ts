import type { Readable } from 'node:stream'
import { maxImageBytes } from '../../contract/service.ts'
import { type CallFacts, callFacts, ImageReadError, invalidParam } from '../../errors/call-errors.ts'
import { factsOfThrown } from '../../errors/error-detail.ts'
import {
  formatOtherThanImage,
  inspectedBytes,
  isArrayBuffer,
  isBytes,
  joinBytes,
  ownBytes,
  pacer,
} from '../../runtime/bytes.ts'
import { callHook } from '../../runtime/logger.ts'
import { decodedImage } from './base64.ts'
import type { ReadOptions } from './body.ts'
import {
  type Base64Image,
  type ByteStream,
  ChangedFile,
  changedMessage,
  emptyMessage,
  type ImageBytes,
  imageForm,
  imageIssue,
  isAsyncIterable,
  isBase64Image,
  isBlob,
  isFileImage,
  isImageData,
  isObject,
  isReadableStream,
  isRequest,
  type NamedImage,
  normalizeImage,
  ofRequest,
  openFile,
  otherSizeMessage,
  requestIssue,
  tooLarge,
  truncatedMessage,
  validFilename,
  validMediaType,
} from './image.ts'

const octetStream = 'application/octet-stream'

/** How many bytes of an image are needed to detect its type. */
const sniffedBytes = 12

/** How many are needed if AVIF and HEIC share the first brand: those of several more brands. */
const sniffedBrands = 64

/** Returns the beginning as text, one character a byte. */
const beginning = (bytes: Uint8Array) => String.fromCharCode(...bytes.subarray(0, sniffedBrands))

// cspell:ignore ftypm
const sharedBrand = /^.{4}ftypm[is]f1/s

/** Whether more bytes are needed to detect the type, or what else the bytes are. */
function isTooShort(bytes: Uint8Array): boolean {
  if (bytes.byteLength < sniffedBytes) return true
  if (sharedBrand.test(beginning(bytes))) return bytes.byteLength < sniffedBrands
  return bytes.byteLength < inspectedBytes && sniffType(bytes) === octetStream
}

/** Filename extensions, by type. */
const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/heic': '.heic',
}

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

/** Brands of AVIF, which may be listed after one that HEIC has too (`mif1`, `msf1`). */
const avifBrands = new Set(['avif', 'avis'])

/** Returns the brands in the first box of a file: the major one, then the compatible ones. */
function brandsOf(text: string): string[] {
  const boxBytes = (text.charCodeAt(2) << 8) | text.charCodeAt(3)
  const brands = text.slice(8, boxBytes).match(/.{4}/gs) ?? []
  // The second is a version.
  return brands.filter((_, i) => i !== 1)
}

/** Detects the type of an image from its first bytes. */
function sniffType(bytes: Uint8Array): string {
  const text = beginning(bytes)
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('RIFF') && text.slice(8, 12) === 'WEBP') return 'image/webp'
  if (text.slice(4, 8) !== 'ftyp' || !heicBrands.has(text.slice(8, 12))) return octetStream
  if (!brandsOf(text).some((brand) => avifBrands.has(brand))) return 'image/heic'
  return octetStream
}

/** Types that say nothing about the bytes. A file from a phone has one of them if the platform does not know HEIC. */
const genericTypes = ['', octetStream, 'binary/octet-stream']

/** Returns the type of the bytes. If it is unknown, returns the one that a data URL or a Blob declares. */
function detectType(bytes: Uint8Array, declared = ''): string {
  const detected = sniffType(bytes)
  return detected === octetStream && !genericTypes.includes(declared) ? declared : detected
}

/** Replaces a common name by the registered one. */
const registered = (contentType: string) => contentType.replace(/^image\/jpg(?=;|$)/i, 'image/jpeg')

const extensionOf = (contentType: string) => extensions[contentType.replace(/;.*/, '').toLowerCase()] ?? ''

/** A stream whose first bytes have been read, to detect the type of the image. */
interface StartedStream {
  readonly first: Uint8Array
  /** True if `first` is the whole stream. */
  readonly ended: boolean
  /** The whole stream, which can be read once. It fails if the source does, or exceeds the limit. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Releases the stream, even if it was not read to its end. */
  readonly close: () => void
}

interface ImageErrors {
  /** For an image that cannot be sent. */
  readonly invalid: (message: string, cause?: unknown) => Error
  /** For a source that failed. */
  readonly unreadable: (cause: unknown) => Error
}

/** @param expected the number of bytes, if it is known */
async function startStream(stream: ByteStream, errors: ImageErrors, expected = Number.NaN): Promise<StartedStream> {
  const { invalid, unreadable } = errors
  if (isUsed(stream))
    throw invalid('is a stream that is locked or was already read. Pass a new one, or a function that returns it')
  const chunks = opened(stream, errors)

  const close = () => {
    // `return` of an iterator waits for a pending read, and runs no cleanup before the first one.
    callHook(() => ('destroy' in stream && typeof stream.destroy === 'function' ? stream.destroy() : chunks.return?.()))
  }

  const pause = pacer()
  const next = async () => {
    const turn = pause()
    if (turn) await turn
    let result: IteratorResult<unknown>
    try {
      result = await chunks.next()
    } catch (thrown) {
      close()
      throw thrown instanceof ChangedFile ? invalid(changedMessage) : unreadable(thrown)
    }
    const bytes = result.done ? undefined : asBytes(result.value)
    const isTruncated = 'truncated' in stream && stream.truncated === true
    if (bytes !== null && !isTruncated) return bytes
    close()
    throw invalid(isTruncated ? truncatedMessage : notBytesMessage(result.value))
  }

  let first: Uint8Array = new Uint8Array()
  let ended = false
  // The detected type must not depend on how the source splits its chunks.
  while (isTooShort(first) && !ended) {
    const chunk = await next()
    if (chunk !== undefined) first = first.byteLength === 0 ? chunk : joinBytes([first, chunk])
    else {
      ended = true
      close()
    }
  }

  async function* bytes() {
    let size = 0
    try {
      for (let chunk: Uint8Array | undefined = first; chunk !== undefined; chunk = await next()) {
        size += chunk.byteLength
        if (size >= maxImageBytes) throw invalid(tooLarge())
        if (size > expected) throw invalid(otherSizeMessage(size, expected))
        yield chunk
      }
      // Before the end of the body is sent, so that the service rejects what it has received.
      if (size < expected) throw invalid(otherSizeMessage(size, expected))
    } finally {
      close()
    }
  }

  return { first, ended, bytes: bytes(), close }
}

/** Whether a stream is being read, or was read before. The image would lack its beginning, or be empty. */
function isUsed(stream: ByteStream): boolean {
  if (!isReadableStream(stream)) {
    const { readableEnded, destroyed, errored }: Partial<Readable> = Object(stream)
    // A stream that failed is read, because that throws its error.
    return readableEnded === true || (destroyed === true && !errored)
  }
  try {
    // Only this shows it on every platform. It throws for a locked stream too.
    new Response(stream)
    return false
  } catch {
    return true
  }
}

function opened(stream: ByteStream, { unreadable }: ImageErrors): AsyncIterator<unknown> {
  try {
    return isAsyncIterable(stream) ? stream[Symbol.asyncIterator]() : readerOf(stream)
  } catch (thrown) {
    throw unreadable(thrown)
  }
}

/** Iterates a web stream. Not every runtime makes web streams iterable. */
function readerOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    return: async () => {
      await reader.cancel()
      return { value: undefined, done: true }
    },
  }
}

/** Returns null for a chunk of another kind, such as text: a photo that was decoded as text has lost bytes. */
function asBytes(chunk: unknown): Uint8Array | null {
  if (isBytes(chunk)) return ownBytes(chunk)
  return isArrayBuffer(chunk) ? new Uint8Array(chunk) : null
}

const notBytesMessage = (chunk: unknown) =>
  typeof chunk === 'string'
    ? 'is a stream of text, not of bytes. Open it without an encoding, or pass { base64 }'
    : 'is a stream of something other than bytes'

/** An image opened for one attempt. */
export interface OpenImage {
  readonly field: string
  readonly filename: string
  readonly contentType: string
  /** In memory, or as a stream. */
  readonly data: Uint8Array | AsyncIterable<Uint8Array>
  /** Bytes, if known before the data is read. */
  readonly size: number | undefined
  /** Differs after the file was written or replaced. Missing if it is not a file. */
  readonly version: string | undefined
  /** Releases a stream, even if it was not read to its end. */
  readonly close?: () => void
}

/**
 * Opens an image for one attempt. The first bytes of a stream are read, to detect the type.
 *
 * @throws {InvalidParamsError} the input is not an image, cannot be opened, or is too large
 * @throws {ImageReadError} the input failed while it was read
 */
export async function openImage(field: string, input: unknown, call: CallFacts, how: ReadOptions): Promise<OpenImage> {
  const errors: ImageErrors = {
    invalid: (message, cause) => invalidParam(call, field, message, cause),
    unreadable: (cause) => new ImageReadError({ ...callFacts(call), field, cause }),
  }
  const { invalid } = errors
  // In this order: what is wrong with the value itself is known before a file is opened or a stream is read.
  const image = normalizeImage(input)
  if (image === undefined) throw invalid(imageForm)
  const opened = await resolve(image, how, errors)
  if (opened.issue !== undefined) throw invalid(opened.issue)
  const given = opened.given ?? (isBase64Image(image) ? undefined : image.size)
  const { source, size = given, version } = opened
  if (!isImageData(source) && !isBase64Image(source)) throw invalid(imageForm)
  const issue = imageIssue(source)
  if (issue !== undefined) throw invalid(issue)
  const { bytes, declared, stream } = await read(source, errors, given)
  if (!stream && given !== undefined && bytes.byteLength !== given)
    throw invalid(otherSizeMessage(bytes.byteLength, given))
  if (!stream && bytes.byteLength === 0) throw invalid(emptyMessage)
  // Before the first byte is sent, because the service may bill what it cannot read.
  const other = formatOtherThanImage(bytes)
  if (other !== undefined) {
    stream?.close()
    throw invalid(`is ${other}, not an image`)
  }
  // A source that knows its size fails before the first byte is sent, and not in the middle of a billed upload.
  if (stream && size !== undefined && size >= maxImageBytes) {
    stream.close()
    throw invalid(tooLarge())
  }
  const { filename: ownName, contentType: ownType } = isBase64Image(source) ? source : image
  // What the caller says wins over the bytes: a format that this version does not know can still be sent.
  const contentType = registered(
    validMediaType(image.contentType) ?? validMediaType(ownType) ?? detectType(bytes, declared),
  )
  return {
    field,
    filename:
      validFilename(image.filename) ??
      validFilename(ownName) ??
      nameOf(image.data) ??
      `${field}${extensionOf(contentType)}`,
    contentType,
    version,
    ...(stream ? { data: stream.bytes, size, close: stream.close } : { data: bytes, size: bytes.byteLength }),
  }
}

/** Without the path, because the caller wrote it, and a name of a file may be that of a person. */
const openAdvice: Partial<Record<string, string>> = {
  ENOENT: ': the file does not exist. A relative path starts at the working directory of the process',
  ERR_ACCESS_DENIED: ": Node's permission model forbids it. Start node with --allow-fs-read for its folder",
}

/** Calls a function, or opens a file. The result is not validated yet. */
async function resolve(
  image: NamedImage | Base64Image,
  how: ReadOptions,
  { invalid, unreadable }: ImageErrors,
): Promise<{
  source?: unknown
  size?: number
  /** The size that must be found. */
  given?: number | undefined
  version?: string
  issue?: string | undefined
}> {
  const input = image.data ?? image
  let source: unknown = input
  try {
    if (typeof input === 'function') source = await input()
  } catch (thrown) {
    throw unreadable(thrown)
  }
  if (isRequest(source)) {
    const { data, size } = ofRequest({}, source) ?? {}
    return { source: data, given: size, issue: requestIssue(source) }
  }
  if (!isFileImage(source)) return { source }
  const file = await source[openFile](how).catch((thrown) => {
    const { code } = factsOfThrown(thrown)
    const advice = code === undefined ? '' : ` (${code})${openAdvice[code] ?? ''}`
    throw invalid(`could not be opened${advice}`, thrown)
  })
  return file.issue === undefined ? { ...file, source: file.stream } : file
}

async function read(source: ImageBytes | Base64Image, errors: ImageErrors, size: number | undefined) {
  if (typeof source === 'string' || isBase64Image(source)) {
    const { bytes, contentType: declared } = decodedImage(typeof source === 'string' ? source : source.base64)
    return { bytes, declared }
  }
  if (isBlob(source)) {
    try {
      return { bytes: new Uint8Array(await source.arrayBuffer()), declared: validMediaType(source.type) }
    } catch (thrown) {
      throw errors.unreadable(thrown)
    }
  }
  if (isBytes(source)) return { bytes: ownBytes(source) }
  if (isArrayBuffer(source)) return { bytes: new Uint8Array(source) }
  const stream = await startStream(source, errors, size)
  // A stream of a few bytes has been read to its end, so that its length is known.
  return stream.ended ? { bytes: stream.first } : { bytes: stream.first, stream }
}

const nameOf = (data: unknown) => (isObject(data) && 'name' in data ? validFilename(data.name) : undefined)
