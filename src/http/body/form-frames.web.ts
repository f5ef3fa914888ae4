import type { OpenImage } from './open-image.ts'

/** Returns what surrounds the files of a multipart form: before each one and after the last. Text fields are first. */
export function formFrames(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly Pick<OpenImage, 'field' | 'filename' | 'contentType'>[],
): Uint8Array[] {
  const encoder = new TextEncoder()
  // The same bytes that form-data writes on Node, because a retry from another runtime must have an identical body.
  const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"`
  let text = fields.map(([name, value]) => `${part(name)}\r\n\r\n${value}\r\n`).join('')
  const frames = files.map(({ field, filename, contentType }) => {
    const head = `${part(field)}; filename="${escaped(filename)}"\r\nContent-Type: ${contentType}\r\n\r\n`
    const frame = encoder.encode(text + head)
    text = '\r\n'
    return frame
  })
  return [...frames, encoder.encode(`${text}--${boundary}--\r\n`)]
}

const escaped = (name: string) => name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
