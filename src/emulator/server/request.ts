import { hmacSha256Hex } from '#platform'
import { readBytes } from '../../runtime/read-bytes.ts'
import { serviceError } from './service-error.ts'

/** A request whose body has been read. */
export interface EmulatorRequest {
  readonly requestId: string
  readonly method: string
  /** As the service itself knows it: without a path that `baseUrl` puts before its own. */
  readonly url: URL
  /** Where the service is reached, without a trailing slash: the addresses that it gives out start with it. */
  readonly baseUrl: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
}

/** Three images of the largest size as base64 fit into it. */
const maxBodyBytes = 96 * 1024 * 1024

/** Reads a body up to the limit; what goes on after it is not waited for. */
export async function readBody({ body }: Request): Promise<Uint8Array> {
  const bytes = await readBytes(body, maxBodyBytes)
  if (bytes) return bytes
  throw serviceError('image_too_large', { message: `The body exceeds ${maxBodyBytes} bytes.` })
}

/** The same for the same request alone: method, path, content type and every byte of the body. */
export async function fingerprint({ method, url, headers, bytes }: EmulatorRequest): Promise<string> {
  const head = `${method}\n${url.pathname}\n${headers.get('content-type') ?? ''}\n`
  return hmacSha256Hex('fingerprint', head, bytes)
}
