import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { ChangedFile, type FileImage, openFile } from './image.ts'

/** Large enough that an upload costs no more time than a plain stream. */
const chunkBytes = 262_144

/**
 * Creates an image that is streamed from a file. Each attempt opens the file again, and keeps only a few chunks in
 * memory.
 *
 * @param path path of the file, which is opened by the call
 *
 * @example
 * await client.checks.idVerification({ front_image: imageFromFile('passport.jpg') })
 */
export function imageFromFile(path: string): FileImage {
  return {
    name: path.replace(/^.*[\\/]/s, ''),
    async [openFile]({ keepsChunks }) {
      const files = fileSystem()
      if (files === undefined)
        return { issue: 'is a file, and this runtime has no file system. Pass bytes or a stream' }
      const { constants, open } = files
      // A pipe without a writer would block a thread of Node's pool until the process ends. Windows has no such flag.
      const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
      try {
        const stat = await file.stat({ bigint: true })
        const version = versionOf(stat)
        if (stat.isFile())
          return { stream: new FileChunks(file, version, keepsChunks), size: Number(stat.size), version }
        await file.close()
        return { issue: 'must be a file, not a directory, a pipe or a device' }
      } catch (thrown) {
        await file.close()
        throw thrown
      }
    },
  }
}

/** No `import()`, because bundlers for the web, such as webpack, cannot resolve a module of Node. */
const fileSystem = (): typeof import('node:fs/promises') | undefined =>
  globalThis.process?.versions && process.getBuiltinModule?.('node:fs/promises')

/** Differs after the file was written or replaced. */
const versionOf = ({ dev, ino, size, mtimeNs }: BigIntStats) => [dev, ino, size, mtimeNs].join(' ')

/**
 * The chunks of a file, in reused memory. Node's own file streams allocate memory for each chunk, which is not
 * collected until a large image has been sent.
 */
class FileChunks implements AsyncIterable<Uint8Array> {
  readonly #file: FileHandle
  readonly #version: string
  readonly #keepsChunks: boolean

  /** @param version that of the file when it was opened */
  constructor(file: FileHandle, version: string, keepsChunks: boolean) {
    this.#file = file
    this.#version = version
    this.#keepsChunks = keepsChunks
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let chunk = new Uint8Array(chunkBytes)
    for (;;) {
      const { bytesRead } = await this.#file.read(chunk, 0, chunkBytes)
      if (bytesRead === 0) break
      yield chunk.subarray(0, bytesRead)
      // The consumer waits until a full chunk has been written, but may buffer a short one.
      if (this.#keepsChunks || bytesRead < chunkBytes) chunk = new Uint8Array(chunkBytes)
    }
    // Before the end of the body is sent, so that the service rejects what is a mixture of two images.
    if (versionOf(await this.#file.stat({ bigint: true })) !== this.#version) throw new ChangedFile()
  }

  /** Closes the file, after a read that is in progress. */
  destroy(): void {
    this.#file.close().catch(() => {})
  }
}
