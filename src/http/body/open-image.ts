import { maxImageBytes } from '../../contract/service.ts'
import { type CallFacts, InvalidParamsError } from '../../errors/call-errors.ts'
import { fromBase64 } from './base64.ts'
import type { ReadOptions } from './body.ts'
import {
  type ImageData,
  type ImageSource,
  imageIssue,
  isFileImage,
  isFilename,
  isImageData,
  isObject,
  mediaType,
  normalizeImage,
  openFile,
  tooLargeMessage,
} from './image.ts'
import { beginStream } from './image-stream.ts'
import { endings, sniffType } from './image-type.ts'

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

/**
 * Opens an image for one attempt. A stream is begun, so that its type can be told from its first bytes.
 *
 * @throws {InvalidParamsError} for what turns out to be no image, or too large
 */
export async function openImage(
  field: string,
  input: unknown,
  call: CallFacts,
  how: ReadOptions,
): Promise<OpenImage> {
  const refuse = (message: string, cause?: unknown) =>
    new InvalidParamsError([{ path: field, message }], call, cause)
  const described = normalizeImage(input)
  if (described === undefined) throw refuse('is no image')
  const { source, size } = await resolve(described.data, how).catch((thrown) => {
    throw refuse('could not be opened', thrown)
  })
  if (!isImageData(source)) throw refuse('is no image')
  const fault = imageIssue(source)
  if (fault !== undefined) throw refuse(fault)
  const { bytes, declared, stream } = await read(source, refuse)
  if (stream && size !== undefined && size >= maxImageBytes) {
    stream.close()
    throw refuse(tooLargeMessage)
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
  how: ReadOptions,
): Promise<{ source: unknown; size: number | undefined }> {
  const source = typeof data === 'function' ? await data() : data
  if (!isFileImage(source)) return { source, size: undefined }
  const { stream, size } = await source[openFile](how)
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
