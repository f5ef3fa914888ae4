import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from './file-failure.ts'

/** A file that a command writes for its user. */
export interface OutputFile {
  readonly path: string
  /** The option that names the file. */
  readonly option?: string
}

interface OpenOptions {
  /** Whether the file is created if it does not exist. @default true */
  readonly create?: boolean
  /** Whether the content of an existing file may be lost. An empty file is always accepted. @default true */
  readonly overwrite?: boolean
}

const ownerOnly = 0o600

/**
 * Opens a file for writing so that only its owner can read it, also if it existed with another mode. Its content is kept.
 * Devices and pipes, such as `/dev/stdout`, are opened as they are.
 *
 * @throws {CommandFailure} the file cannot be written, is a symbolic link to a file, belongs to another user, or would be
 *   overwritten
 */
export async function openPrivate(
  output: OutputFile,
  { create = true, overwrite = true }: OpenOptions = {},
): Promise<FileHandle> {
  const { path, option } = output
  const refuse = (problem: string, code: string) =>
    new CommandFailure(`${option === undefined ? '' : `${option}: `}${path} ${problem}`, { code })
  try {
    const { file, isLink } = await openUnchanged(path, create)
    try {
      const stats = await file.stat()
      if (!stats.isFile()) return file
      // Whoever may write to the folder decides where a link leads.
      if (isLink) throw refuse('is a symbolic link to a file. Pass the path of the file itself.', 'ELOOP')
      if (stats.uid !== (process.getuid?.() ?? stats.uid))
        throw refuse('belongs to another user, who could read it. Choose another file.', 'EPERM')
      if (stats.size > 0 && !overwrite)
        throw refuse('exists. Choose another file, or overwrite it with --force.', 'EEXIST')
      await file.chmod(ownerOnly)
      return file
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure(error, { ...output, use: 'write' })
  }
}

/** Opens a file without changing it, also through a symbolic link, which then is not created. */
async function openUnchanged(path: string, create: boolean): Promise<{ file: FileHandle; isLink: boolean }> {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW = 0 } = constants
  try {
    const flags = O_WRONLY | O_NOFOLLOW | (create ? O_CREAT : 0)
    return { file: await open(path, flags, ownerOnly), isLink: false }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    return { file: await open(path, O_WRONLY), isLink: true }
  }
}

/**
 * Creates an output file before the work whose result it will contain, so that a command fails early.
 *
 * @param overwrite whether the content of an existing file may be lost
 * @throws {CommandFailure} see {@link openPrivate}
 */
export async function claimOutput(output: OutputFile, { overwrite }: { overwrite: boolean }): Promise<void> {
  await (await openPrivate(output, { overwrite })).close()
}

/**
 * Writes the lines of an output file that only its owner can read.
 *
 * @throws {CommandFailure} see {@link openPrivate}
 */
export async function writeOutput(output: OutputFile, lines: readonly string[]): Promise<void> {
  const file = await openPrivate(output)
  try {
    if ((await file.stat()).isFile()) await file.truncate()
    await file.writeFile(lines.map((line) => `${line}\n`).join(''))
  } catch (error) {
    throw fileFailure(error, { ...output, use: 'write' })
  } finally {
    await file.close()
  }
}
