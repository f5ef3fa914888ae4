import { openSized, type SizedSource } from './image.ts'
import { streamChunkBytes } from './multipart.ts'

/** What {@link imageFromFile} returns: pass it as an image. */
export interface FileImage extends SizedSource {
  /** Sent as the filename, where it can be one. */
  readonly name: string
}

/**
 * An image that is streamed from a file, again on each attempt, at the memory of a few chunks.
 *
 * @param path of the file; it is opened when the call is made
 *
 * @example
 * await client.checks.idVerification({ front_image: imageFromFile('passport.jpg') })
 */
export function imageFromFile(path: string): FileImage {
  return {
    name: path.replace(/^.*[\\/]/s, ''),
    async [openSized]() {
      const { open } = await import('node:fs/promises')
      const file = await open(path)
      try {
        const stat = await file.stat()
        const stream = file.createReadStream({ highWaterMark: streamChunkBytes })
        // A pipe or a device does not tell how much it holds.
        return { stream, size: stat.isFile() ? stat.size : undefined }
      } catch (thrown) {
        await file.close()
        throw thrown
      }
    },
  }
}
