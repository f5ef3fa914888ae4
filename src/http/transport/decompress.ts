import { responseTooLarge, type TransportResponse, UnreadableResponse } from './transport.ts'

type Unpack = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, unpacked: Uint8Array) => void,
) => void

/**
 * Undoes the content coding of an answer. We ask for none; a proxy may apply one all the same.
 *
 * @throws {UnreadableResponse} for a coding that is unknown, broken, or grows beyond the limit
 */
export async function decompress(
  answer: TransportResponse,
  maxResponseBytes: number,
): Promise<TransportResponse> {
  const coding = answer.headers.get('content-encoding')?.trim().toLowerCase()
  if (coding === undefined || coding === 'identity' || answer.body.byteLength === 0) return answer
  const zlib = await import('node:zlib')
  const unpackers: Partial<Record<string, Unpack>> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    deflate: zlib.inflate,
    br: zlib.brotliDecompress,
  }
  const unpack = Object.hasOwn(unpackers, coding) ? unpackers[coding] : undefined
  if (unpack === undefined) throw new UnreadableResponse('the answer has an unknown content-encoding', answer)
  const body = await new Promise<Uint8Array>((resolve, reject) => {
    unpack(answer.body, { maxOutputLength: maxResponseBytes }, (error, unpacked) => {
      if (error === null) resolve(unpacked)
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        reject(responseTooLarge(maxResponseBytes, answer))
      } else reject(new UnreadableResponse('the answer cannot be decompressed', answer))
    })
  })
  return { ...answer, body }
}
