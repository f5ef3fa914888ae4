import { joinBytes, toBase64 } from '#platform'
import type { CallFacts } from '../../errors/call-errors.ts'
import { type ImageParams, jsonHeaders, type RequestBody } from './body.ts'
import type { ReadOptions } from './image.ts'
import { sortedByName, toJson } from './json.ts'
import { encodeForm } from './multipart.ts'
import { type OpenImage, openImage } from './open-image.ts'

export { withProgress } from './upload-progress.ts'

/** What one attempt brings along. */
interface Reading {
  readonly boundary: () => Promise<string>
  readonly how: ReadOptions
  /** Takes how each image begins. */
  readonly beginnings: Uint8Array[]
}

/** Opens the images of a call for one attempt, and writes the body that carries them. */
export async function readImages(given: ImageParams, reading: Reading): Promise<RequestBody> {
  const { params, images, encoding, call } = given
  const { boundary, how, beginnings } = reading
  const present = images.filter((field) => params[field] !== undefined)
  const fields = sortedByName(params)
  if (encoding === 'json') {
    for (const field of present) fields[field] = await asText(field, given, beginnings)
    return { data: toJson(fields, call), headers: jsonHeaders }
  }
  for (const field of present) delete fields[field]
  const opened: OpenImage[] = []
  try {
    for (const field of present) opened.push(await openImage(field, params[field], call, how))
    const faults: unknown[] = []
    const watched = opened.map((image) => ({ ...image, data: watch(image.data, faults, beginnings) }))
    return {
      ...(await encodeForm(await boundary(), textOf(fields, call), watched)),
      fault: () => faults[0],
    }
  } catch (thrown) {
    for (const image of opened) image.close?.()
    throw thrown
  }
}

async function asText(
  field: string,
  { params, call }: ImageParams,
  beginnings: Uint8Array[],
): Promise<string> {
  const input = params[field]
  if (typeof input === 'string') return input
  const { data } = await openImage(field, input, call, { keepsChunks: true })
  const chunks: Uint8Array[] = []
  if (data instanceof Uint8Array) chunks.push(data)
  else for await (const chunk of data) chunks.push(chunk)
  const bytes = joinBytes(chunks)
  beginnings.push(bytes.subarray(0, beginningBytes))
  return toBase64(bytes)
}

/** The fields of a form, as text. */
const textOf = (fields: Readonly<Record<string, unknown>>, call: CallFacts): [string, string][] =>
  Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return []
    return [[name, typeof value === 'object' ? toJson(value, call) : String(value)]]
  })

/** Of an image, kept to know its words by where they are echoed. */
const beginningBytes = 4096

/** Remembers how an image begins, and why a stream broke: the transport would call it a network failure. */
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
      // A copy: the source may use the memory of a chunk again.
      if (missing > 0) beginnings.push(chunk.slice(0, missing))
      missing -= chunk.byteLength
      yield chunk
    }
  } catch (thrown) {
    faults.push(thrown)
    throw thrown
  }
}
