import { Readable } from 'node:stream'
import { type ImageInput, imageFromFile, type UploadProgress, type VerificationClient } from 'identity-service-sdk'

const bytes = new Uint8Array(8)

/** A file of a form, as parsers of multipart bodies declare it. */
declare const part: NodeJS.ReadableStream

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield bytes
}

export const images: readonly ImageInput[] = [
  bytes,
  Buffer.from(bytes),
  new ArrayBuffer(8),
  new Blob([bytes]),
  Readable.from([bytes]),
  new Blob([bytes]).stream(),
  part,
  chunks(),
  'data:image/png;base64,aGVsbG8=',
  { base64: 'aGVsbG8=' },
  { base64: 'aGVsbG8=', filename: 'face.png', contentType: undefined },
  () => ({ base64: 'aGVsbG8=' }),
  imageFromFile('/tmp/image.jpg'),
  () => bytes,
  async () => imageFromFile('/tmp/image.jpg'),
  { data: bytes, filename: 'face.png', contentType: 'image/png' },
  { data: () => Readable.from([bytes]), filename: undefined },
]

// @ts-expect-error: a number is not an image
export const none: ImageInput = 7
// @ts-expect-error: a function returns a data URL, not any text
export const later: ImageInput = async () => 'aGVsbG8='

/** What a form in a browser sends: a data URL, whose type is `string`. */
export const received = (body: { readonly photo: string }): ImageInput => ({ base64: body.photo })

/** A data URL that a program builds itself. */
export const built = (base64: string): ImageInput => `data:image/png;base64,${base64}`

/** A function that loads an image for each attempt. */
export const loaded = (load: () => Promise<{ readonly photo: string }>): ImageInput => {
  return async () => ({ base64: (await load()).photo })
}

export async function upload(client: VerificationClient, image: ImageInput): Promise<void> {
  const onUploadProgress = ({ loaded, total }: UploadProgress) => console.log(loaded, total)
  await client.checks.liveness({ image }, { encoding: 'json', onUploadProgress })
  await client.checks.faceMatch({ image1: image, image2: imageFromFile('selfie.jpg') })
  await client.checks.idVerification({ front_image: image, back_image: undefined })
}
