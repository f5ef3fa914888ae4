// Digits of base64: cspell:ignore AEIMQU Ycgkosw

/** Node's buffers, where they exist: they are several times faster than what other platforms have. */
const buffers = () => (globalThis as { Buffer?: typeof Buffer }).Buffer

/** Returns the same bytes as a buffer of Node, or `undefined` where there is none. */
function onNode(bytes: Uint8Array): Buffer | undefined {
  const buffer = buffers()
  return buffer?.isBuffer(bytes) ? bytes : buffer?.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Not `instanceof`: in vm contexts, as Jest and hosts of plugins have them, the bytes of the caller have another class. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && tagOf(value) === 'Uint8Array'

export const isArrayBuffer = (value: unknown): value is ArrayBuffer => tagOf(value) === 'ArrayBuffer'

const tagOf = (value: unknown): unknown => Object(value)[Symbol.toStringTag]

/** Returns the same bytes as those of this realm, without a copy. */
export const ownBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

let encoder: InstanceType<typeof TextEncoder> | undefined

/**
 * Encodes UTF-8. A lone surrogate becomes U+FFFD. The encoder is created when first needed, because Jest's jsdom has
 * none: there, a client refuses to run with a message that helps more than a failed import.
 */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  encoder ??= new TextEncoder()
  return encoder.encode(text)
}

let decoder: InstanceType<typeof TextDecoder> | undefined

/** Decodes UTF-8 and keeps a byte order mark. Returns `undefined` if the bytes are not valid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * A member `__proto__` would change the prototype of an object that it is assigned to. Escapes may spell its letters.
 */
const mayNameProto = /__proto__|\\u00[5-7]/

/** A small part of what the longest text may have, and a hundred times what a large response of the service has. */
const usualParts = 500_000

/** More than the largest list of the service has in the longest text, where each member takes 20 bytes or more. */
const maxMembers = 1_500_000
/** A member whose name differs from all others has eight characters on average, from a million on. */
const shortestMember = 8

/**
 * Returns whether a text has more members of objects than any response. A million different names take seconds to
 * parse, and fifty times the memory of their text.
 */
function hasTooManyMembers(text: string): boolean {
  if (text.length < maxMembers * shortestMember) return false
  let left = maxMembers
  for (let at = text.indexOf(':'); at !== -1 && left >= 0; at = text.indexOf(':', at + 1)) left--
  if (left >= 0) return false
  // Times and URLs have colons too, so now names alone are counted.
  left = maxMembers
  const name = /"\s*:/g
  while (left >= 0 && name.test(text)) left--
  return left < 0
}

/**
 * Returns whether a text consists mostly of the beginnings of objects and lists. Each takes about a hundred bytes of
 * memory, and three bytes of the text, so that such a text of 32 MiB would take more than a gigabyte.
 */
export function isMostlyBrackets(text: string): boolean {
  let left = Math.max(usualParts, text.length / 16)
  if (text.length < 2 * left) return false
  for (const bracket of ['{', '['])
    for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) if (--left < 0) return true
  return false
}

/**
 * Parses JSON from outside, without members called `__proto__`. Returns `undefined` for any other text, because the
 * parser's error would quote it, and for one that would take many times its size in memory, or many seconds.
 */
export function parseJson(text: string): unknown {
  if (isMostlyBrackets(text) || hasTooManyMembers(text)) return undefined
  try {
    return mayNameProto.test(text)
      ? JSON.parse(text, (name, value) => (name === '__proto__' ? undefined : value))
      : JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Returns whether a JSON text has a member called `__proto__`, at any depth.
 *
 * @throws if the text is not JSON, or may have such a member and is nested too deeply to be searched
 */
export function hasProtoMember(text: string): boolean {
  let found = false
  if (mayNameProto.test(text))
    JSON.parse(text, (name, value) => {
      found ||= name === '__proto__'
      return value
    })
  return found
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.byteLength
  }
  return bytes
}

const pieceBytes = 65_536

/** Cuts bytes into views of at most 64 KiB. */
export function piecesOf(bytes: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  for (let start = 0; start < bytes.byteLength; start += pieceBytes)
    pieces.push(bytes.subarray(start, start + pieceBytes))
  return pieces
}

/** A multiple of three bytes, and few enough to be passed as arguments. */
const encodedAtOnce = 24_576

export function toBase64(bytes: Uint8Array): string {
  const buffer = onNode(bytes)
  if (buffer) return buffer.toString('base64')
  let digits = ''
  for (let start = 0; start < bytes.byteLength; start += encodedAtOnce)
    digits += btoa(String.fromCharCode(...bytes.subarray(start, start + encodedAtOnce)))
  return digits
}

/** Decodes valid base64, with or without padding. */
export function fromBase64(digits: string): Uint8Array<ArrayBuffer> {
  const buffer = buffers()?.from(digits, 'base64')
  if (buffer) return buffer
  const binary = atob(digits)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** What follows the whole groups: its unused bits are zero, so that two texts never encode the same bytes. */
const base64urlRest = /^(?:.[AQgw]|..[AEIMQUYcgkosw048])?$/

/** True for strict base64url: no padding, no other characters, unused bits zero. Empty text is valid. */
export const isBase64url = (text: string): boolean =>
  // Not one expression with a repeated group, which overflows the stack for a text of several MB.
  !/[^A-Za-z0-9_-]/.test(text) && base64urlRest.test(text.slice(text.length - (text.length % 4)))

/** Decodes valid base64url. */
export const fromBase64url = (text: string): Uint8Array<ArrayBuffer> =>
  fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))

export const toBase64url = (bytes: Uint8Array): string =>
  toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

/** The smallest buffer that is allocated. */
const smallestBytes = 4096

/**
 * The bytes of a body, up to a limit. The limit counts the bytes received: a `content-length` may be wrong. The bytes
 * are copied into one buffer that doubles, because a list of chunks costs memory by the chunk: an object for each, and
 * the whole network buffer that it is a view of.
 */
export class BoundedBytes {
  readonly #maxBytes: number
  #buffer: Uint8Array = new Uint8Array()
  #length = 0
  #isTooLarge = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Keeps a chunk. Returns false if the body is larger than the limit, and then keeps nothing. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.byteLength
    this.#isTooLarge ||= length > this.#maxBytes
    if (this.#isTooLarge) {
      this.#buffer = new Uint8Array()
      return false
    }
    // The only chunk of a body is not copied.
    if (this.#length === 0) this.#buffer = chunk
    else {
      if (length > this.#buffer.byteLength) this.#grow(length)
      this.#buffer.set(chunk, this.#length)
    }
    this.#length = length
    return true
  }

  /** Returns the body in one piece, without a copy. */
  join(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(smallestBytes, length, 2 * this.#buffer.byteLength))
    const grown = new Uint8Array(capacity)
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
  }
}

const chunksPerTurn = 1000

/**
 * Returns a function to call after each chunk of a stream. For every thousandth it returns a promise to await, which
 * lets the event loop run: a stream whose chunks are always ready, such as empty ones, would stop every timer.
 */
export function pacer(): () => Promise<void> | undefined {
  let chunks = 0
  return () => {
    chunks += 1
    return chunks % chunksPerTurn === 0 ? new Promise((resolve) => setTimeout(resolve)) : undefined
  }
}

/** Returns the beginning of a body as text, and cancels the rest, which may be endless. */
export async function readStart(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  const reader = body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let left = maxBytes
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    text += decoder.decode(step.value.subarray(0, left), { stream: true })
    left -= step.value.byteLength
    if (left > 0) continue
    // Not awaited, because a source may take any time to cancel.
    reader?.cancel().catch(() => {})
    return text
  }
  return text + decoder.decode()
}

/**
 * Returns the bytes of a body, or `undefined` if there are more than `maxBytes`; the rest is then canceled.
 *
 * @param signal ends the reading
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const bytes = new BoundedBytes(maxBytes)
  const pause = pacer()
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    const turn = pause()
    if (turn) await turn
    if (!signal?.aborted && bytes.add(step.value)) continue
    // Not awaited, because a source may take any time to cancel, or never finish.
    reader?.cancel().catch(() => {})
    return undefined
  }
  return bytes.join()
}

const archives = ['PK\u0003\u0004', 'Rar!', '7z\u00bc\u00af', '\u001f\u008b', 'BZh', '\u00fd7zXZ', '(\u00b5/\u00fd']

/** What else begins files that are not images. A PDF may follow lines of text, as scanners write them. */
const otherFormats: readonly (readonly [form: RegExp, format: string])[] = [
  [/^(?:\xef\xbb\xbf)?[^\x80-\xff]*%PDF-/, 'a PDF'],
  [/^(?:\xef\xbb\xbf)?\s*<(?:!doctype|html)/i, 'a page of HTML'],
  [/^(?:\xef\xbb\xbf)?\s*</, 'XML'],
  [/^(?:\xef\xbb\xbf)?\s*[{[]\s*["{[\d]/, 'JSON'],
  // JPEG, PNG, WebP and HEIC in an encoding that was forgotten.
  [/^["'\s]*(?:data:|[/_]9j[/_]|iVBORw0KGgo|UklGR|AAAA.GZ0eX)/, 'text in base64'],
]

/** Number of bytes that {@link formatOtherThanImage} reads. */
export const inspectedBytes = 1024

/** Returns what bytes are that are no image of any format, from the first of them. */
export function formatOtherThanImage(bytes: Uint8Array): string | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, inspectedBytes))
  if (archives.some((archive) => start.startsWith(archive))) return 'an archive'
  return otherFormats.find(([form]) => form.test(start))?.[1]
}
