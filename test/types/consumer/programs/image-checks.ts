// Checks images from files, streams, buffers and uploads, with progress and a deadline.
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import {
  assertPassed,
  type ImageInput,
  imageFromFile,
  type StandaloneResult,
  type UploadProgress,
  VerificationClient,
} from 'identity-service-sdk'

const client = new VerificationClient({ apiKey: process.env.SVC_API_KEY })

const onUploadProgress = ({ loaded, total }: UploadProgress) =>
  console.log(total === undefined ? `${loaded} bytes` : `${Math.round((100 * loaded) / total)} %`)

export async function checkDocument(front: string, back?: string): Promise<string | null | undefined> {
  const { check } = await client.checks.idVerification(
    { front_image: imageFromFile(front), back_image: back === undefined ? undefined : imageFromFile(back) },
    { onUploadProgress, deadlineMs: 120_000 },
  )
  return check.data.fields?.full_name
}

export async function compareFaces(portrait: string, selfie: IncomingMessage): Promise<number> {
  const result = await client.checks.faceMatch({
    image1: { data: await readFile(portrait), filename: 'portrait.jpg', contentType: 'image/jpeg' },
    image2: selfie,
  })
  assertPassed(result)
  return result.check.data.similarity ?? 0
}

export async function checkSelfies(upload: FormData): Promise<StandaloneResult<'liveness'>[]> {
  const images: ImageInput[] = [
    () => createReadStream('selfie.jpg'),
    Buffer.from('base64 text', 'base64'),
    'data:image/png;base64,iVBORw0KGgo=',
  ]
  const file = upload.get('selfie')
  if (file !== null && typeof file !== 'string' && file.size < 20 * 1024 * 1024) images.push(file)
  return Promise.all(images.map((image) => client.checks.liveness({ image }, { encoding: 'json' })))
}
