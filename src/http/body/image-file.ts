import type { FileHandle } from 'node:fs/promises'
import { type FileImage, openFile } from './image.ts'

/** Reads of this size keep an upload at the cost of a plain stream. */
const chunkBytes = 256 * 1024

/**
 * An image that is streamed from a file, again on each attempt, at the memory of a few chunks.
 *
 * @param path of the file; it is opened when the call is made
 * @see service contract, sections 4.3 and 8
 *
 * @example
 * await client.checks.idVerification({ front_image: imageFromFile('passport.jpg') })
 */
export function imageFromFile(path: string): FileImage {
  return {
    name: path.replace(/^.*[\\/]/s, ''),
    async [openFile]({ keepsChunks }) {
      const { open } = await import('node:fs/promises')
      const file = await open(path)
      try {
        const stat = await file.stat()
        // A pipe or a device does not tell how much it holds.
        return { stream: new FileChunks(file, keepsChunks), size: stat.isFile() ? stat.size : undefined }
      } catch (thrown) {
        await file.close()
        throw thrown
      }
    },
  }
}

/**
 * The chunks of a file. Node's own file streams fill new memory for each, which is not collected before a large
 * image has gone out.
 */
class FileChunks implements AsyncIterable<Uint8Array> {
  readonly #file: FileHandle
  readonly #keepsChunks: boolean

  constructor(file: FileHandle, keepsChunks: boolean) {
    this.#file = file
    this.#keepsChunks = keepsChunks
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let chunk = new Uint8Array(chunkBytes)
    for (;;) {
      const { bytesRead } = await this.#file.read(chunk, 0, chunkBytes)
      if (bytesRead === 0) return
      yield chunk.subarray(0, bytesRead)
      // A short chunk may be buffered on its way out, while a whole one is waited for.
      if (this.#keepsChunks || bytesRead < chunkBytes) chunk = new Uint8Array(chunkBytes)
    }
  }

  /** Waits for a read that is under way. */
  destroy(): void {
    this.#file.close().catch(() => {})
  }
}
