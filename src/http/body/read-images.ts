import { maxImageBytes } from '../../contract/service.ts'
import { badParam, type CallFacts } from '../../errors/call-errors.ts'
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
import { type ReadImage, SentImage } from './sent-image.ts'

/** The attempt that images are read for. */
interface Reading {
  readonly attempt: AttemptContext
  readonly how: ReadOptions
  /** What earlier attempts have sent, by field. Missing if there is only one attempt. */
  readonly sent: Map<string, SentImage> | undefined
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
    for (const field of present) opened.push(await openImage(field, params[field], attempt, how))
    const faults: unknown[] = []
    const isInMemory = opened.every(({ data }) => data instanceof Uint8Array)
    const watched: OpenImage[] = []
    for (const image of opened) {
      // A body in memory is kept for all attempts.
      const read = isInMemory ? undefined : startAttempt(image.field, reading)
      watched.push({ ...image, data: await watch(image.data, { faults, read, ...reading }) })
    }
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

function startAttempt(field: string, { attempt, sent }: Reading): ReadImage | undefined {
  if (sent === undefined) return undefined
  const image = sent.get(field) ?? new SentImage()
  sent.set(field, image)
  return image.startAttempt(() => badParam(attempt, field, changedMessage))
}

const changedMessage =
  'changed between two attempts, so the request was cut off. All attempts of a call must send the same bytes. Do not write to a file while a call sends it'

/** Observes the bytes of an image while they are sent. */
interface Watch extends Reading {
  /** Receives the reason why a stream failed, because the transport would report a network failure. */
  readonly faults: unknown[]
  readonly read: ReadImage | undefined
}

async function watch(data: OpenImage['data'], observers: Watch): Promise<OpenImage['data']> {
  if (!(data instanceof Uint8Array)) return watched(data, observers)
  await observers.read?.add(data)
  await observers.read?.end()
  return data
}

async function* watched(
  source: AsyncIterable<Uint8Array>,
  { faults, read }: Watch,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of source) {
      await read?.add(chunk)
      yield chunk
    }
    await read?.end()
  } catch (thrown) {
    faults.push(thrown)
    throw thrown
  }
}
