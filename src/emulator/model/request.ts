import { readBytes } from '../../runtime/bytes.ts'
import { hmacSha256Hex } from '../../runtime/crypto.ts'
import { serviceError } from './service-error.ts'

/** A request whose body has been read. */
export interface EmulatorRequest {
  readonly requestId: string
  readonly method: string
  /** The URL without the path of `baseUrl`, so that its path is a path of the contract. */
  readonly url: URL
  /** The address of the service, without a trailing slash. Addresses in responses start with it. */
  readonly baseUrl: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  readonly signal: AbortSignal
}

const urls = new WeakMap<Request, URL>()

/** Returns the URL of a request. It is parsed once, because six places ask for it. Do not change it. */
export function urlOf(request: Request): URL {
  const url = urls.get(request) ?? new URL(request.url)
  urls.set(request, url)
  return url
}

/** Room for three images of the maximum size, in base64. */
const maxBodyBytes = 96 * 1024 * 1024

/** Reads a body up to the limit. Does not wait for bytes beyond it. */
export async function readBody({ body }: Request): Promise<Uint8Array> {
  const bytes = await readBytes(body, maxBodyBytes)
  if (bytes) return bytes
  throw serviceError('image_too_large', { message: `The body exceeds ${maxBodyBytes} bytes.` })
}

/** Identifies a request by its method, path, content type and every byte of its body. */
export async function fingerprint({ method, url, headers, bytes }: EmulatorRequest): Promise<string> {
  const head = `${method}\n${url.pathname}\n${headers.get('content-type') ?? ''}\n`
  return hmacSha256Hex('fingerprint', head, bytes)
}

/**
 * Returns whether the headers of a browser show that another site made the request. Other HTTP clients send none of
 * these headers and are accepted, because no website controls them.
 */
export function isCrossSite({ headers }: Request, ownOrigin: string): boolean {
  const site = headers.get('sec-fetch-site')
  // `none` means that the person started the request, for example with a reload.
  if (site !== null) return site !== 'same-origin' && site !== 'none'
  const origin = headers.get('origin')
  if (origin === null || origin === ownOrigin) return false
  // Behind a proxy that ends TLS, the server has its own host name too. It has already checked `Host`.
  return !URL.canParse(origin) || new URL(origin).host !== headers.get('host')
}
