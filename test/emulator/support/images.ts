/** The first bytes of a JPEG. The emulator does not look at the rest of an image. */
export const photo = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)

export const photoBase64 = Buffer.from(photo).toString('base64')

export const photoDataUrl = `data:image/jpeg;base64,${photoBase64}`

/** Fields with these names, each containing the same image. */
export const images = <Image>(names: readonly string[], image: Image): Record<string, Image> =>
  Object.fromEntries(names.map((name) => [name, image]))

/** A multipart form. Bytes become a file, text becomes a text field. */
export function form(fields: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (typeof value === 'string') data.set(name, value)
    else data.set(name, new Blob([value], { type: 'image/jpeg' }), `${name}.jpg`)
  return data
}
