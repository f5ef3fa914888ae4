import { maxImageBytes } from '../contract/service.ts'
import { type CallFacts, InvalidParamsError } from '../errors/call-errors.ts'

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

export interface SizedSource {
  [openSized](): Promise<{ readonly stream: AsyncIterable<Uint8Array>; readonly size: number }>
}

/**
 * An image to send. A stream (a Node `Readable`, a web `ReadableStream`) can be read once, so a call with one
 * is never retried; a function is asked again on each attempt, and so is {@link imageFromFile}.
 */
export type ImageInput =
  | ImageData
  | SizedSource
  | (() => ImageData | Promise<ImageData>)
  | {
      readonly data: ImageData | (() => ImageData | Promise<ImageData>)
      /** @default the field's name, with the ending of its type */
      readonly filename?: string | undefined
      /** @default told from the first bytes: JPEG, PNG, WebP, HEIC, else `application/octet-stream` */
      readonly contentType?: string | undefined
    }

/** An image opened for one attempt. */
export interface OpenImage {
  readonly field: string
  readonly filename: string
  readonly contentType: string
  /** In memory, or as a stream. */
  readonly data: Uint8Array | AsyncIterable<Uint8Array>
  /** Bytes, where they are known before they are read. */
  readonly size: number | undefined
}

type Source = ImageData | (() => ImageData | Promise<ImageData>) | SizedSource

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isSized = (value: unknown): value is SizedSource => isObject(value) && openSized in value
const isReadableStream = (value: unknown): value is ReadableStream<Uint8Array> =>
  typeof ReadableStream !== 'undefined' && value instanceof ReadableStream
const isAsyncIterable = (value: unknown): value is AsyncIterable<Uint8Array> =>
  isObject(value) && Symbol.asyncIterator in value

const isStream = (value: unknown): value is AsyncIterable<Uint8Array> | ReadableStream<Uint8Array> =>
  !(value instanceof Uint8Array) && (isReadableStream(value) || isAsyncIterable(value))

const isData = (value: unknown): value is ImageData =>
  (typeof value === 'string' && value !== '') ||
  value instanceof Uint8Array ||
  value instanceof ArrayBuffer ||
  value instanceof Blob ||
  isStream(value)

const isSource = (value: unknown): value is Source => isData(value) || isSized(value) || typeof value === 'function'

interface Described {
  readonly data: Source
  readonly filename?: string | undefined
  readonly contentType?: string | undefined
}

function describe(input: unknown): Described | undefined {
  if (isSource(input)) return { data: input }
  if (!isObject(input) || !('data' in input) || !isSource(input.data)) return undefined
  return input as Described
}

const mediaType = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w.+-]+=[\w.+-]+)*$/

/** What makes a value unfit as an image, before anything of it is read. */
export function imageFault(input: unknown): string | undefined {
  const image = describe(input)
  if (image === undefined) return 'must be an image: bytes, a Blob, a stream, base64, a data URL or a function'
  const { data, filename, contentType } = image
  if (contentType !== undefined && !mediaType.test(contentType)) return 'has a contentType that is no media type'
  if (filename !== undefined && (typeof filename !== 'string' || filename === '')) return 'has an empty filename'
  if (typeof data === 'string' && decodedLength(data) === undefined) return 'must be base64 or a data URL'
  const size = sizeOf(data)
  return size !== undefined && size >= maxImageBytes ? tooLargeFault : undefined
}

export const tooLargeFault = `must be smaller than ${maxImageBytes / 2 ** 20} MiB`

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

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w.+-]+=[\w.+-]+)*;base64,/i
const base64 = /^[A-Za-z0-9+/]*={0,2}$/

/** The base64 digits alone: line breaks in them are common and mean nothing. */
const payloadOf = (text: string) =>
  text.slice(dataUrl.exec(text.slice(0, 256))?.[0].length ?? 0).replace(/\s+/g, '')

function decodedLength(text: string): number | undefined {
  const payload = payloadOf(text)
  const digits = payload.replace(/=+$/, '').length
  if (!base64.test(payload) || digits === 0 || digits % 4 === 1) return undefined
  return Math.floor((digits * 3) / 4)
}

function fromBase64(text: string): { bytes: Uint8Array; contentType: string | undefined } {
  const bytes = Buffer.from(payloadOf(text), 'base64')
  return { bytes, contentType: dataUrl.exec(text.slice(0, 256))?.[1] }
}

/**
 * Opens an image for one attempt. A stream is begun, so that its type can be told from its first bytes.
 *
 * @throws {InvalidParamsError} for what turns out to be no image, or too large
 */
export async function openImage(field: string, input: unknown, call: CallFacts): Promise<OpenImage> {
  const refuse = (message: string, cause?: unknown) =>
    new InvalidParamsError([{ path: field, message }], call, cause)
  const described = describe(input)
  if (described === undefined) throw refuse('is no image')
  let source: unknown = described.data
  let size: number | undefined
  let declared = described.contentType
  try {
    if (typeof source === 'function') source = await source()
    if (isSized(source)) {
      const opened = await source[openSized]()
      size = opened.size
      source = opened.stream
    }
    if (source instanceof Blob) {
      declared ??= source.type || undefined
      if (source.size < maxImageBytes) source = new Uint8Array(await source.arrayBuffer())
    }
  } catch (thrown) {
    throw refuse('could not be opened', thrown)
  }
  const fault = imageFault(source)
  if (fault !== undefined) throw refuse(fault)
  if (size !== undefined && size >= maxImageBytes) throw refuse(tooLargeFault)
  if (typeof source === 'string') {
    const decoded = fromBase64(source)
    declared ??= decoded.contentType
    source = decoded.bytes
  }
  if (source instanceof ArrayBuffer) source = new Uint8Array(source)
  const data = source instanceof Uint8Array ? source : await begin(source as AsyncIterable<Uint8Array>)
  const contentType = declared ?? sniffType(data instanceof Uint8Array ? data : data.first)
  return {
    field,
    filename: described.filename ?? nameOf(described.data) ?? `${field}${endings[contentType] ?? ''}`,
    contentType,
    data: data instanceof Uint8Array ? data : limited(data, refuse),
    size: data instanceof Uint8Array ? data.byteLength : size,
  }
}

const nameOf = (data: unknown) => (isObject(data) && 'name' in data && typeof data.name === 'string' && data.name) || undefined

interface Begun {
  readonly first: Uint8Array
  readonly rest: AsyncIterator<Uint8Array>
}

const asBytes = (chunk: unknown): Uint8Array =>
  chunk instanceof Uint8Array ? chunk : new TextEncoder().encode(String(chunk))

async function begin(stream: AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>): Promise<Begun> {
  const rest = isAsyncIterable(stream) ? stream[Symbol.asyncIterator]() : readerOf(stream)
  let first: Uint8Array = new Uint8Array()
  // However a source cuts its chunks, the same bytes are told to be of the same type.
  while (first.byteLength < sniffedBytes) {
    const { value, done } = await rest.next()
    if (done) break
    const chunk = asBytes(value)
    first = first.byteLength === 0 ? chunk : joined(first, chunk)
  }
  return { first, rest }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.byteLength + b.byteLength)
  bytes.set(a)
  bytes.set(b, a.byteLength)
  return bytes
}

/** Web streams are not iterable everywhere. */
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

/** The stream again from its first byte, ended by an error where it grows beyond the limit. */
async function* limited({ first, rest }: Begun, refuse: (message: string) => Error): AsyncGenerator<Uint8Array> {
  let size = first.byteLength
  try {
    yield first
    for (let step = await rest.next(); !step.done; step = await rest.next()) {
      const chunk = asBytes(step.value)
      size += chunk.byteLength
      if (size >= maxImageBytes) throw refuse(tooLargeFault)
      yield chunk
    }
  } finally {
    await rest.return?.()
  }
}

const octetStream = 'application/octet-stream'
const sniffedBytes = 12

const endings: Readonly<Record<string, string>> = {
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'image/heic': '.heic',
}

const heicBrands = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1'])

/** Tells the type of an image from its first bytes. */
export function sniffType(bytes: Uint8Array): string {
  const text = String.fromCharCode(...bytes.subarray(0, sniffedBytes))
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('RIFF') && text.slice(8) === 'WEBP') return 'image/webp'
  if (text.slice(4, 8) === 'ftyp' && heicBrands.has(text.slice(8))) return 'image/heic'
  return octetStream
}
