import { maxImageBytes } from '../../contract/service.ts'
import { type ByteStream, isAsyncIterable, tooLargeMessage } from './image.ts'
import { sniffedBytes } from './image-type.ts'

/** A stream of which the first bytes were read, so that the type of the image can be told. */
export interface BegunStream {
  readonly first: Uint8Array
  /** Whether `first` is all there is. */
  readonly ended: boolean
  /** All of it, ended by an error where it breaks or grows beyond the limit. Can be read once. */
  readonly bytes: AsyncIterable<Uint8Array>
  /** Lets go of the stream, however much of it was read. */
  readonly close: () => void
}

type Refuse = (message: string, cause?: unknown) => Error

/** @param refuse makes the error for a stream that breaks, or grows beyond the limit */
export async function beginStream(stream: ByteStream, refuse: Refuse): Promise<BegunStream> {
  const chunks = isAsyncIterable(stream) ? stream[Symbol.asyncIterator]() : readerOf(stream)

  const close = () => {
    // An iterator ends only after the read that it waits for, and runs no clean-up unless it was begun.
    if ('destroy' in stream && typeof stream.destroy === 'function') stream.destroy()
    else chunks.return?.().catch(() => {})
  }

  const next = async () => {
    try {
      const { value, done } = await chunks.next()
      return done ? undefined : asBytes(value)
    } catch (thrown) {
      close()
      throw refuse('could not be read', thrown)
    }
  }

  let first: Uint8Array = new Uint8Array()
  let ended = false
  // However a source cuts its chunks, the same bytes are told to be of the same type.
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
        if (size >= maxImageBytes) throw refuse(tooLargeMessage)
        yield chunk
      }
    } finally {
      close()
    }
  }

  return { first, ended, bytes: bytes(), close }
}

/** Web streams are not iterable everywhere. */
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

function asBytes(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk)
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk)
  throw new TypeError('the stream gives something other than bytes')
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(a.byteLength + b.byteLength)
  bytes.set(a)
  bytes.set(b, a.byteLength)
  return bytes
}
