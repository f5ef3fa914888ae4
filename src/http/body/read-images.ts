import { maxImageBytes } from '../../contract/service.ts'
import type { CallFacts } from '../../errors/call-errors.ts'
import { toBase64 } from '../../runtime/bytes.ts'
import { BoundedBytes } from '../../runtime/read-bytes.ts'
import {
  type AttemptContext,
  type ImageParams,
  jsonHeaders,
  type ReadOptions,
  type RequestBody,
} from './body.ts'
import { sortedByName, toJson } from './json.ts'
import { encodeForm } from './multipart.ts'
import { type OpenImage, openImage } from './open-image.ts'

export { withProgress } from './upload-progress.ts'

/** The attempt that images are read for. */
interface Reading {
  readonly attempt: AttemptContext
  readonly how: ReadOptions
  /** Receives the first bytes of each image. */
  readonly beginnings: Uint8Array[]
}

/** Opens the images of a call for one attempt and builds the body that contains them. */
export async function readImages(
  { params, images, encoding }: ImageParams,
  reading: Reading,
): Promise<RequestBody> {
  const { attempt, how, beginnings } = reading
  const present = images.filter((field) => params[field] !== undefined)
  const fields = sortedByName(params)
  if (encoding === 'json') {
    for (const field of present) fields[field] = await allAsText(field, params[field], reading)
    return { data: toJson(fields, attempt), headers: jsonHeaders }
  }
  for (const field of present) delete fields[field]
  const opened: OpenImage[] = []
  try {
    for (const field of present) opened.push(await openImage(field, params[field], attempt, how))
    const faults: unknown[] = []
    const watched = opened.map((image) => ({ ...image, data: watch(image.data, faults, beginnings) }))
    return {
      ...(await encodeForm(await attempt.boundary(), textOf(fields, attempt), watched)),
      fault: () => faults[0],
    }
  } catch (thrown) {
    for (const image of opened) image.close?.()
    throw thrown
  }
}

async function allAsText(field: string, value: unknown, reading: Reading): Promise<string | string[]> {
  if (!Array.isArray(value)) return asText(field, value, reading)
  const texts: string[] = []
  for (const [i, image] of value.entries()) texts.push(await asText(`${field}.${i}`, image, reading))
  return texts
}

async function asText(field: string, input: unknown, { attempt, beginnings }: Reading): Promise<string> {
  if (typeof input === 'string') return input
  const { data } = await openImage(field, input, attempt, { keepsChunks: true })
  const bytes = data instanceof Uint8Array ? data : await allOf(data)
  beginnings.push(bytes.subarray(0, beginningBytes))
  return toBase64(bytes)
}

async function allOf(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  // A stream of an image fails before it reaches the limit.
  const bytes = new BoundedBytes(maxImageBytes)
  for await (const chunk of stream) bytes.add(chunk)
  return bytes.join()
}

/** The fields of a form, as text. */
const textOf = (fields: Readonly<Record<string, unknown>>, call: CallFacts): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === 'object' ? toJson(value, call) : String(value)]]
  })

/** How much of an image is kept, so that its text can be masked if a response echoes it. */
const beginningBytes = 4096

/**
 * Keeps the first bytes of an image, and the reason why a stream failed, because the transport would report a network
 * failure.
 */
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
      // A copy, because the source may reuse the memory of a chunk.
      if (missing > 0) beginnings.push(chunk.slice(0, missing))
      missing -= chunk.byteLength
      yield chunk
    }
  } catch (thrown) {
    faults.push(thrown)
    throw thrown
  }
}
