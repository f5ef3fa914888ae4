import { callHook } from '../../runtime/call-hook.ts'
import type { RequestBody, UploadProgress } from './body.ts'

/** Bytes that are handed over between two reports. */
const step = 64 * 1024

/** The same body, of which each piece is told to the caller as it goes out. */
export function withProgress(body: RequestBody, report: (progress: UploadProgress) => void): RequestBody {
  const { data } = body
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (bytes === undefined) return body
  if (!(bytes instanceof Uint8Array)) return { ...body, data: counted(bytes, body.length, report) }
  const total = bytes.byteLength
  // In pieces a body no longer tells its length by itself.
  const headers = [...body.headers, 'content-length', String(total)]
  return { ...body, headers, data: counted(pieces(bytes), total, report) }
}

async function* counted(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  total: number | undefined,
  report: (progress: UploadProgress) => void,
): AsyncGenerator<Uint8Array> {
  let loaded = 0
  for await (const chunk of chunks) {
    yield chunk
    loaded += chunk.byteLength
    callHook(() => report(total === undefined ? { loaded } : { loaded, total }))
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += step) yield bytes.subarray(start, start + step)
}
