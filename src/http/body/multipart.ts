import { joinBytes } from '../../runtime/bytes.ts'
import type { RequestBody } from './body.ts'
import type { OpenImage } from './open-image.ts'

/**
 * Encodes a multipart form: text fields first, then the images, each with a filename and a type. The form is one buffer
 * if every image is in memory, otherwise a stream, with a length if all sizes are known.
 */
export async function encodeForm(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  images: readonly OpenImage[],
): Promise<RequestBody> {
  const { formFrames } = await import('#form-frames')
  const frames = formFrames(boundary, fields, images)
  const parts = frames.flatMap((frame, i) => {
    const image = images[i]
    return image ? [frame, image.data] : [frame]
  })
  const headers = ['content-type', `multipart/form-data; boundary=${boundary}`]
  if (parts.every((part) => part instanceof Uint8Array)) return { data: joinBytes(parts), headers }
  const dispose = () => {
    for (const image of images) image.close?.()
  }
  const length = lengthOf(parts, images)
  if (length === undefined) return { data: concatenate(parts), headers, dispose }
  return {
    data: concatenate(parts),
    headers: [...headers, 'content-length', String(length)],
    length,
    dispose,
  }
}

function lengthOf(parts: readonly OpenImage['data'][], images: readonly OpenImage[]): number | undefined {
  let length = 0
  for (const part of parts) {
    const size = part instanceof Uint8Array ? part.byteLength : images.find(({ data }) => data === part)?.size
    if (size === undefined) return undefined
    length += size
  }
  return length
}

async function* concatenate(parts: readonly OpenImage['data'][]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Uint8Array) yield part
    else yield* part
  }
}
