import { responseTooLarge, type TransportResponse, UnreadableResponse } from './transport.ts'

/** Loads zlib, which few responses need. */
export type LoadZlib = () => Promise<typeof import('node:zlib')>

type Decompressor = (
  bytes: Uint8Array,
  options: { maxOutputLength: number },
  done: (error: Error | null, result: Uint8Array) => void,
) => void

/**
 * Decompresses a response. No `Accept-Encoding` is sent, but a proxy may compress anyway.
 *
 * @throws {UnreadableResponse} the coding is unknown or broken, or the result exceeds the limit
 */
export async function decompress(
  response: TransportResponse,
  maxResponseBytes: number,
  loadZlib: LoadZlib,
): Promise<TransportResponse> {
  const coding = response.headers.get('content-encoding')?.trim().toLowerCase()
  if (coding === undefined || coding === 'identity' || response.body.byteLength === 0) return response
  const zlib = await loadZlib()
  const decompressors: Partial<Record<string, Decompressor>> = {
    gzip: zlib.gunzip,
    'x-gzip': zlib.gunzip,
    deflate: zlib.inflate,
    br: zlib.brotliDecompress,
  }
  const run = Object.hasOwn(decompressors, coding) ? decompressors[coding] : undefined
  if (run === undefined)
    throw new UnreadableResponse('the response has an unknown content-encoding', response)
  const body = await new Promise<Uint8Array>((resolve, reject) => {
    run(response.body, { maxOutputLength: maxResponseBytes }, (error, result) => {
      if (error === null) resolve(result)
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
        reject(responseTooLarge(maxResponseBytes, response))
      } else reject(new UnreadableResponse('the response cannot be decompressed', response))
    })
  })
  return { ...response, body }
}
