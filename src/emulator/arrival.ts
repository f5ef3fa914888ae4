import { hmacSha256 } from '#platform'
import { refuse } from './refusal.ts'

/** A request whose body has been read. */
export interface Arrival {
  readonly requestId: string
  readonly method: string
  /** As the service itself knows it: without a path that `baseUrl` puts before its own. */
  readonly url: URL
  /** Where the service is reached, without a trailing slash: the addresses that it gives out start with it. */
  readonly baseUrl: string
  readonly headers: Headers
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal
}

/** Three images of the largest size as base64 fit into it. */
const maxBodyBytes = 96 * 1024 * 1024

/** Reads a body up to the limit; what goes on after it is not waited for. */
export async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = request.body?.getReader()
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    length += part.value.byteLength
    if (length > maxBodyBytes) {
      await reader?.cancel()
      throw refuse('image_too_large', { message: `The body exceeds ${maxBodyBytes} bytes.` })
    }
    chunks.push(part.value)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}

/** The same for the same request alone: method, path, content type and every byte of the body. */
export async function fingerprint({ method, url, headers, bytes }: Arrival): Promise<string> {
  const head = `${method}\n${url.pathname}\n${headers.get('content-type') ?? ''}\n`
  const digest = await hmacSha256('fingerprint', head, bytes)
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
