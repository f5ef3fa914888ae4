import type { RequestBody, UploadProgress } from './body.ts'

/** Bytes between two reports. */
const reportEveryBytes = 64 * 1024

/** Returns the same body, in pieces, and reports each piece after the transport has taken it. */
export function withProgress(body: RequestBody, report: (progress: UploadProgress) => void): RequestBody {
  const { data } = body
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  if (bytes === undefined) return body
  if (!(bytes instanceof Uint8Array)) return { ...body, data: counted(bytes, body.length, report) }
  const total = bytes.byteLength
  // A body in pieces has no length of its own.
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
    report(total === undefined ? { loaded } : { loaded, total })
  }
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.byteLength; start += reportEveryBytes)
    yield bytes.subarray(start, start + reportEveryBytes)
}
