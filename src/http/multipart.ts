import type { Readable } from 'node:stream'
import type { OpenBody } from './body.ts'
import type { OpenImage } from './image.ts'

/** Reads of this size keep an upload at the cost of a plain stream. */
export const streamChunkBytes = 256 * 1024

/**
 * Writes a multipart form: text fields first, then the images, each with a filename and a type. Where every
 * image is in memory the form is one buffer, else a stream; with a length wherever all sizes are known.
 */
export async function encodeForm(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  images: readonly OpenImage[],
): Promise<OpenBody> {
  const { default: FormData } = await import('form-data')
  const form = new FormData()
  form.setBoundary(boundary)
  for (const [name, value] of fields) form.append(name, value)
  const headers = ['content-type', `multipart/form-data; boundary=${boundary}`]
  if (images.every(({ data }) => data instanceof Uint8Array)) {
    for (const image of images) form.append(image.field, bufferOf(image.data as Uint8Array), partOf(image))
    const data = form.getBuffer()
    return { data, headers }
  }
  const { PassThrough, Readable: NodeReadable } = await import('node:stream')
  const body = new PassThrough({ highWaterMark: streamChunkBytes })
  const sources: Readable[] = []
  for (const image of images) {
    const { data } = image
    if (data instanceof Uint8Array) {
      form.append(image.field, bufferOf(data), partOf(image))
      continue
    }
    const source = NodeReadable.from(data, { objectMode: false, highWaterMark: streamChunkBytes })
    sources.push(source)
    form.append(image.field, source, partOf(image))
  }
  form.on('error', (error: Error) => body.destroy(error))
  // Whoever reads the body hears of its error; one that nobody reads must not end the process.
  body.on('error', () => {})
  form.pipe(body)
  const dispose = () => {
    for (const image of images) image.close?.()
    for (const stream of [...sources, body]) stream.destroy()
  }
  if (!images.every(({ size }) => size !== undefined)) return { data: body, headers, dispose }
  const length = form.getLengthSync()
  return { data: body, headers: [...headers, 'content-length', String(length)], length, dispose }
}

const partOf = ({ filename, contentType, size }: OpenImage) => ({
  filename,
  contentType,
  ...(size === undefined ? {} : { knownLength: size }),
})

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
