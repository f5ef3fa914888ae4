import { maxImageBytes } from '../../contract/service.ts'
import { badParam, type CallFacts } from '../../errors/call-errors.ts'
import { BoundedBytes, toBase64 } from '../../runtime/bytes.ts'
import {
  type AttemptContext,
  type ImageParams,
  jsonHeaders,
  type ReadOptions,
  type RequestBody,
} from './body.ts'
import { changedMessage } from './image.ts'
import { sortedByName, toJson } from './json.ts'
import { encodeForm } from './multipart.ts'
import { type OpenImage, openImage } from './open-image.ts'

/** The attempt that images are read for. */
interface Reading {
  readonly attempt: AttemptContext
  readonly how: ReadOptions
  /** The version of the file of each field, as the first attempt found it. */
  readonly versions: Map<string, string>
}

/** Opens the images of a call for one attempt and builds the body that contains them. */
export async function readImages(
  { params, images, encoding }: ImageParams,
  reading: Reading,
): Promise<RequestBody> {
  const { attempt, how } = reading
  const present = images.filter((field) => params[field] !== undefined)
  const fields = sortedByName(params)
  if (encoding === 'json') {
    for (const field of present) fields[field] = await allAsText(field, params[field], reading)
    return { data: toJson(fields, attempt), headers: jsonHeaders }
  }
  for (const field of present) delete fields[field]
  const opened: OpenImage[] = []
  try {
    for (const field of present) {
      opened.push(await openImage(field, params[field], attempt, how))
      checkVersion(opened.at(-1) as OpenImage, reading)
    }
    const faults: unknown[] = []
    const images = opened.map((image) => ({ ...image, data: watched(image.data, faults) }))
    return {
      ...(await encodeForm(await attempt.boundary(), textOf(fields, attempt), images)),
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

async function asText(field: string, input: unknown, { attempt }: Reading): Promise<string> {
  if (typeof input === 'string') return input
  const { data } = await openImage(field, input, attempt, { keepsChunks: true })
  return toBase64(data instanceof Uint8Array ? data : await allOf(data))
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

/** All attempts of a call must send the same bytes, because they have the same idempotency key. */
function checkVersion({ field, version }: OpenImage, { attempt, versions }: Reading): void {
  if (version === undefined) return
  const first = versions.get(field) ?? version
  versions.set(field, first)
  if (version !== first) throw badParam(attempt, field, changedMessage)
}

/** @param faults receives why a stream failed, because the transport would report a failure of the network */
function watched(data: OpenImage['data'], faults: unknown[]): OpenImage['data'] {
  return data instanceof Uint8Array ? data : watchedStream(data, faults)
}

async function* watchedStream(
  source: AsyncIterable<Uint8Array>,
  faults: unknown[],
): AsyncGenerator<Uint8Array> {
  try {
    yield* source
  } catch (thrown) {
    faults.push(thrown)
    throw thrown
  }
}
