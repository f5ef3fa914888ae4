import { type FileHandle, open } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from './file-failure.ts'

/** A file that a command writes for its user. */
export interface OutputFile {
  readonly path: string
  /** The option that names the file. */
  readonly option: string
}

const ownerOnly = 0o600

/**
 * Opens a file so that only its owner can read it, also if it existed with another mode.
 *
 * @param flags those of `fs.open`
 */
export async function openPrivate(path: string, flags: 'a' | 'r+' | 'w'): Promise<FileHandle> {
  const file = await open(path, flags, ownerOnly)
  try {
    // Devices and pipes, such as /dev/stdout, keep their mode.
    if ((await file.stat()).isFile()) await file.chmod(ownerOnly)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Creates an output file before the work whose result it will contain, so that a command fails early.
 *
 * @param overwrite whether the content of an existing file may be lost. An empty file is always accepted.
 * @throws {CommandFailure} the file exists, or cannot be written
 */
export async function claimOutput(output: OutputFile, { overwrite }: { overwrite: boolean }): Promise<void> {
  const { path, option } = output
  try {
    const file = await open(path, 'a', ownerOnly)
    const { size } = await file.stat().finally(() => file.close())
    if (size > 0 && !overwrite)
      throw new CommandFailure(
        `${option}: ${path} exists. Choose another file, or overwrite it with --force.`,
        { code: 'EEXIST' },
      )
    await (await openPrivate(path, 'a')).close()
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure(error, { ...output, use: 'write' })
  }
}

/**
 * Writes an output file that only its owner can read.
 *
 * @throws {CommandFailure} the file cannot be written
 */
export async function writeOutput(output: OutputFile, text: string): Promise<void> {
  try {
    const file = await openPrivate(output.path, 'w')
    await file.writeFile(text).finally(() => file.close())
  } catch (error) {
    throw fileFailure(error, { ...output, use: 'write' })
  }
}
