import { joinBytes } from './bytes.ts'

/** The chunks of a body, up to a limit. The limit counts the bytes received: a `content-length` may be wrong. */
export class BoundedBytes {
  readonly #maxBytes: number
  readonly #chunks: Uint8Array[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Keeps a chunk. Returns false, and keeps nothing, if the body is larger than the limit. */
  add(chunk: Uint8Array): boolean {
    this.#length += chunk.byteLength
    if (this.#length > this.#maxBytes) return false
    this.#chunks.push(chunk)
    return true
  }

  /** Returns the body in one piece, without a copy if it is one chunk. */
  join(): Uint8Array {
    const [first] = this.#chunks
    return first !== undefined && this.#chunks.length === 1 ? first : joinBytes(this.#chunks)
  }
}

/** Returns the bytes of a body, or `undefined` if there are more than `maxBytes`; the rest is then cancelled. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const bytes = new BoundedBytes(maxBytes)
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    if (bytes.add(step.value)) continue
    // Not awaited, because a source may take any time to cancel, or never finish.
    reader?.cancel().catch(() => {})
    return undefined
  }
  return bytes.join()
}
