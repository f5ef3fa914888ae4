import { constants, fstatSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { isatty } from 'node:tty'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from './file-failure.ts'
import { highWaterMark, readUpTo } from './read-input.ts'

/** A file that a command writes for its user, and may read again. */
export interface OutputFile {
  readonly path: string
  /** The option that names the file. */
  readonly option?: string | undefined
}

interface OpenOptions {
  /** Whether the content of an existing file may be lost. An empty file is always accepted. @default true */
  readonly overwrite?: boolean
}

interface OpenedFile {
  readonly file: FileHandle
  readonly stats: Stats
}

const ownerOnly = 0o600

const [stdout, stderr] = [1, 2]

const { O_RDONLY, O_WRONLY, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants

/**
 * Opens a file for writing so that only its owner can read it, also if it existed with another mode. Its content is
 * kept. A terminal of the user and the streams of this process, such as `/dev/stdout`, are opened as they are.
 *
 * @throws {CommandFailure} the file cannot be written, is a symbolic link to a file, is another pipe or device, belongs
 *   to another user, or would be overwritten
 */
async function openPrivate(output: OutputFile, { overwrite = true }: OpenOptions = {}): Promise<FileHandle> {
  const { file, stats } = await openOwn(output, O_WRONLY | O_CREAT)
  try {
    if (!stats.isFile()) return await reopen(file)
    if (stats.size > 0 && !overwrite)
      throw refusal(output, 'exists. Choose another file, or overwrite it with --force.', 'EEXIST')
    await file.chmod(ownerOnly)
    return file
  } catch (error) {
    await file.close()
    throw error instanceof CommandFailure ? error : fileFailure(error, { ...output, use: 'write' })
  }
}

/**
 * Reads a file that a command has written. The text of a file that does not exist is empty.
 *
 * @throws {CommandFailure} the file cannot be read, is not a file, is too large, or belongs to another user
 */
export async function readPrivate(output: OutputFile, maxMiB: number): Promise<string> {
  const opened = await openOwn(output, O_RDONLY).catch((error: unknown) => {
    if (error instanceof CommandFailure && error.code === 'ENOENT') return undefined
    throw error
  })
  try {
    if (opened === undefined) return ''
    const stream = opened.file.createReadStream({ autoClose: false, highWaterMark })
    return (await readUpTo(stream, output.path, { ...output, maxMiB })).toString('utf8')
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure(error, { ...output, use: 'read' })
  } finally {
    await opened?.file.close()
  }
}

/**
 * Opens a file of this user. What is written into the pipe of another user, that user reads, so everything else is
 * refused, except streams of this user that are written to.
 */
async function openOwn(output: OutputFile, flags: number): Promise<OpenedFile> {
  const use = flags === O_RDONLY ? 'read' : 'write'
  try {
    const { file, isLink } = await openUnchanged(output.path, flags)
    try {
      const stats = await file.stat()
      // Whoever may write to the folder decides where a link leads.
      if (isLink && stats.isFile())
        throw refusal(output, 'is a symbolic link to a file. Pass the path of the file itself.', 'ELOOP')
      if (stats.isFile() ? isOwn(stats) : use === 'write' && isOwnStream(output.path, file, stats))
        return { file, stats }
      throw stats.isFile()
        ? refusal(output, 'belongs to another user, who could read it. Choose another file.', 'EPERM')
        : refusal(output, notAFile, 'EINVAL')
    } catch (error) {
      await file.close()
      throw error
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    // A pipe that nothing reads, or a socket.
    if ((error as NodeJS.ErrnoException).code === 'ENXIO') throw refusal(output, notAFile, 'EINVAL')
    throw fileFailure(error, { ...output, use })
  }
}

const notAFile = 'is not a regular file. Choose another path, or write to /dev/stdout.'

const refusal = ({ path, option }: OutputFile, problem: string, code: string) =>
  new CommandFailure(`${option === undefined ? '' : `${option}: `}${path} ${problem}`, { code })

const isOwn = ({ uid }: Stats): boolean => uid === (process.getuid?.() ?? uid)

/** Whether it is stdout or stderr of this process, its terminal, or another terminal of the user. */
function isOwnStream(path: string, { fd }: FileHandle, stats: Stats): boolean {
  const isStandard = [stdout, stderr].some((standard) => {
    const { dev, ino } = fstatSync(standard)
    return dev === stats.dev && ino === stats.ino
  })
  return isStandard || (isatty(fd) && (isOwn(stats) || path === '/dev/tty'))
}

/**
 * Opens a file without waiting for the other end of a pipe, and without changing it, also through a symbolic link,
 * which then is not created.
 */
async function openUnchanged(path: string, flags: number): Promise<{ file: FileHandle; isLink: boolean }> {
  try {
    return { file: await open(path, flags | O_NOFOLLOW | O_NONBLOCK, ownerOnly), isLink: false }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    return { file: await open(path, (flags & ~O_CREAT) | O_NONBLOCK), isLink: true }
  }
}

/** Opens what is open already so that a write waits until there is space. */
async function reopen(file: FileHandle): Promise<FileHandle> {
  const waiting = await open(`/dev/fd/${file.fd}`, O_WRONLY)
  await file.close()
  return waiting
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
