import { maxImageBytes } from '../../contract/service.ts'
import { badParam, type CallFacts } from '../../errors/call-errors.ts'
import { factsOfThrown } from '../../errors/error-detail.ts'
import { fromBase64 } from './base64.ts'
import type { ReadOptions } from './body.ts'
import {
  type Base64Image,
  type ImageBytes,
  imageForm,
  imageIssue,
  isBase64Image,
  isFileImage,
  isFilename,
  isImageData,
  isObject,
  mediaType,
  type NamedImage,
  normalizeImage,
  openFile,
  tooLargeMessage,
} from './image.ts'
import { startStream } from './image-stream.ts'
import { extensions, sniffType } from './image-type.ts'

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
 * @throws {InvalidParamsError} the input is not an image, cannot be read, or is too large
 */
export async function openImage(
  field: string,
  input: unknown,
  call: CallFacts,
  how: ReadOptions,
): Promise<OpenImage> {
  const invalid = (message: string, cause?: unknown) => badParam(call, field, message, cause)
  const image = normalizeImage(input)
  if (image === undefined) throw invalid(imageForm)
  const opened = await resolve(image, how).catch((thrown) => {
    const { code } = factsOfThrown(thrown)
    const advice = code === 'ENOENT' ? noFile : ''
    throw invalid(`could not be opened${code === undefined ? '' : ` (${code})`}${advice}`, thrown)
  })
  if (opened.issue !== undefined) throw invalid(opened.issue)
  const { source, size, version } = opened
  if (!isImageData(source) && !isBase64Image(source)) throw invalid(imageForm)
  const issue = imageIssue(source)
  if (issue !== undefined) throw invalid(issue)
  const { bytes, declared, stream } = await read(source, invalid)
  if (stream && size !== undefined && size >= maxImageBytes) {
    stream.close()
    throw invalid(tooLargeMessage)
  }
  const { filename: ownName, contentType: ownType } = isBase64Image(source) ? source : image
  const contentType = image.contentType ?? ownType ?? declared ?? sniffType(bytes)
  return {
    field,
    filename: image.filename ?? ownName ?? nameOf(image.data) ?? `${field}${extensions[contentType] ?? ''}`,
    contentType,
    version,
    ...(stream ? { data: stream.bytes, size, close: stream.close } : { data: bytes, size: bytes.byteLength }),
  }
}

/** Without the path, because the caller wrote it, and a name of a file may be that of a person. */
const noFile = ': the file does not exist. A relative path starts at the working directory of the process'

/** Calls a function, or opens a file. The result is not validated yet. */
async function resolve(
  image: NamedImage | Base64Image,
  how: ReadOptions,
): Promise<{ source?: unknown; size?: number; version?: string; issue?: string | undefined }> {
  const given = image.data ?? image
  const source = typeof given === 'function' ? await given() : given
  if (!isFileImage(source)) return { source }
  const file = await source[openFile](how)
  return file.issue === undefined ? { ...file, source: file.stream } : file
}

async function read(source: ImageBytes | Base64Image, invalid: (message: string, cause?: unknown) => Error) {
  if (typeof source === 'string' || isBase64Image(source)) {
    const { bytes, contentType: declared } = fromBase64(typeof source === 'string' ? source : source.base64)
    return { bytes, declared }
  }
  if (source instanceof Blob) {
    const bytes = await source.arrayBuffer().catch((thrown) => {
      throw invalid('could not be read', thrown)
    })
    return { bytes: new Uint8Array(bytes), declared: mediaType.test(source.type) ? source.type : undefined }
  }
  if (source instanceof Uint8Array) return { bytes: source }
  if (source instanceof ArrayBuffer) return { bytes: new Uint8Array(source) }
  const stream = await startStream(source, invalid)
  return stream.ended ? { bytes: stream.first } : { bytes: stream.first, stream }
}

const nameOf = (data: unknown) =>
  isObject(data) && 'name' in data && isFilename(data.name) ? data.name : undefined
