import FormData from 'form-data'
import type { OpenImage } from './open-image.ts'

/** Returns what surrounds the files of a multipart form: before each one and after the last. Text fields are first. */
export function formFrames(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly Pick<OpenImage, 'field' | 'filename' | 'contentType'>[],
): Uint8Array[] {
  const form = new FormData()
  form.setBoundary(boundary)
  for (const [name, value] of fields) form.append(name, value)
  const afterContent = `\r\n--${boundary}--\r\n`.length
  const noContent = Buffer.alloc(0)
  const frames: Uint8Array[] = []
  let written = 0
  for (const { field, filename, contentType } of files) {
    form.append(field, noContent, { filename, contentType })
    const soFar = form.getBuffer()
    frames.push(soFar.subarray(written, soFar.byteLength - afterContent))
    written = soFar.byteLength - afterContent
  }
  frames.push(form.getBuffer().subarray(written))
  return frames
}
