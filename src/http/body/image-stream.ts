import { maxImageBytes } from '../../contract/service.ts'
import { callHook } from '../../runtime/logger.ts'
import { type ByteStream, ChangedFile, changedMessage, isAsyncIterable, tooLargeMessage } from './image.ts'
import { sniffedBytes } from './image-type.ts'

/** A stream whose first bytes have been read, to detect the type of the image. */
export interface StartedStream {
  readonly first: Uint8Array
  /** True if `first` is the whole stream. */
  readonly ended: boolean
  /** The whole stream, which can be read once. It fails if the source does, or exceeds the limit. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Releases the stream, even if it was not read to its end. */
  readonly close: () => void
}

type CreateError = (message: string, cause?: unknown) => Error

/** @param invalid creates the error for a stream that fails or exceeds the limit */
export async function startStream(stream: ByteStream, invalid: CreateError): Promise<StartedStream> {
  const chunks = opened(stream, invalid)

  const close = () => {
    // `return` of an iterator waits for a pending read, and runs no cleanup before the first one.
    callHook(() =>
      'destroy' in stream && typeof stream.destroy === 'function' ? stream.destroy() : chunks.return?.(),
    )
  }

  const next = async () => {
    let result: IteratorResult<unknown>
    try {
      result = await chunks.next()
    } catch (thrown) {
      close()
      throw thrown instanceof ChangedFile ? invalid(changedMessage) : invalid('could not be read', thrown)
    }
    const bytes = result.done ? undefined : asBytes(result.value)
    if (bytes !== null) return bytes
    close()
    throw invalid('is a stream of something other than bytes')
  }

  let first: Uint8Array = new Uint8Array()
  let ended = false
  // The detected type must not depend on how the source splits its chunks.
  while (first.byteLength < sniffedBytes && !ended) {
    const chunk = await next()
    if (chunk !== undefined) first = first.byteLength === 0 ? chunk : joined(first, chunk)
    else {
      ended = true
      close()
    }
  }

  async function* bytes() {
    let size = 0
    try {
      for (let chunk: Uint8Array | undefined = first; chunk !== undefined; chunk = await next()) {
        size += chunk.byteLength
        if (size >= maxImageBytes) throw invalid(tooLargeMessage)
        yield chunk
      }
    } finally {
      close()
    }
  }

  return { first, ended, bytes: bytes(), close }
}

function opened(stream: ByteStream, invalid: CreateError): AsyncIterator<unknown> {
  try {
    return isAsyncIterable(stream) ? stream[Symbol.asyncIterator]() : readerOf(stream)
  } catch (thrown) {
    throw invalid('could not be read', thrown)
  }
}

/** Iterates a web stream. Not every runtime makes web streams iterable. */
function readerOf(stream: ReadableStream<Uint8Array>): AsyncIterator<Uint8Array> {
  const reader = stream.getReader()
  return {
    next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
    return: async () => {
      await reader.cancel()
      return { value: undefined, done: true }
    },
  }
}

/** Returns null for a chunk of another kind. */
function asBytes(chunk: unknown): Uint8Array | null {
  if (chunk instanceof Uint8Array) return chunk
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk)
  return null
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.byteLength + b.byteLength)
  bytes.set(a)
  bytes.set(b, a.byteLength)
  return bytes
}
