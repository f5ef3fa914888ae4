import { joinBytes } from '#platform'

/** The bytes of a body, or nothing where they are too many: what a header says of their number is not believed. */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    length += step.value.byteLength
    if (length > maxBytes) {
      // Not waited for: how the sender takes it must hold up nobody.
      reader?.cancel().catch(() => {})
      return undefined
    }
    chunks.push(step.value)
  }
  return chunks.length === 1 ? chunks[0] : joinBytes(chunks)
}
