import { randomUUID } from 'node:crypto'
import { open, rename, rm, stat } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from './file-failure.ts'
import type { OutputFile } from './private-file.ts'

/**
 * Writes a file so that it has either its old or its new content, whatever happens meanwhile.
 *
 * @param mode of the file. By default, only its owner can read it
 * @throws {CommandFailure} the file cannot be written, or is not a regular file
 */
export async function replaceFile(output: OutputFile, text: string, mode = 0o600): Promise<void> {
  const { path } = output
  const existing = await stat(path).catch(() => undefined)
  if (existing !== undefined && !existing.isFile())
    throw new CommandFailure(`${output.option ?? path}: ${path} is not a regular file. Choose another path.`)
  const temporary = `${path}.${randomUUID()}.tmp`
  try {
    const file = await open(temporary, 'wx', mode)
    try {
      // The mode of `open` is limited by the umask.
      await file.chmod(mode)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw fileFailure(error, { ...output, use: 'write' })
  }
}
