/** The smallest buffer that is allocated. */
const smallestBytes = 4096

/**
 * The bytes of a body, up to a limit. The limit counts the bytes received: a `content-length` may be wrong. The bytes
 * are copied into one buffer that doubles, because a list of chunks costs memory by the chunk: an object for each, and
 * the whole network buffer that it is a view of.
 */
export class BoundedBytes {
  readonly #maxBytes: number
  #buffer: Uint8Array = new Uint8Array()
  #length = 0
  #isTooLarge = false

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Keeps a chunk. Returns false if the body is larger than the limit, and then keeps nothing. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.byteLength
    this.#isTooLarge ||= length > this.#maxBytes
    if (this.#isTooLarge) {
      this.#buffer = new Uint8Array()
      return false
    }
    // The only chunk of a body is not copied.
    if (this.#length === 0) this.#buffer = chunk
    else {
      if (length > this.#buffer.byteLength) this.#grow(length)
      this.#buffer.set(chunk, this.#length)
    }
    this.#length = length
    return true
  }

  /** Returns the body in one piece, without a copy. */
  join(): Uint8Array {
    return this.#buffer.subarray(0, this.#length)
  }

  #grow(length: number): void {
    const capacity = Math.min(this.#maxBytes, Math.max(smallestBytes, length, 2 * this.#buffer.byteLength))
    const grown = new Uint8Array(capacity)
    grown.set(this.#buffer.subarray(0, this.#length))
    this.#buffer = grown
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
