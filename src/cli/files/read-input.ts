import { createReadStream } from 'node:fs'
import { CommandFailure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { fileFailure } from './file-failure.ts'

/** In bytes. Node's own 64 KiB make the read of a large file twenty times as long. */
export const highWaterMark = 1024 * 1024

const stdinUsed = new WeakSet<Shell>()

interface Input {
  /** The option that names the file, for error messages. Not given for an argument. */
  readonly option?: string | undefined
  /** Maximum size, in MiB. */
  readonly maxMiB: number
}

/**
 * Returns the bytes of a file, or of stdin for `-`. Stdin can be read only once.
 *
 * @throws {CommandFailure} the file cannot be read, or is too large
 */
export async function readInput(shell: Shell, path: string, input: Input): Promise<Buffer> {
  if (path === '-') {
    if (stdinUsed.has(shell))
      throw new CommandFailure('Only one input can be read from stdin (-). Pass a file for the other one.')
    stdinUsed.add(shell)
    return await readUpTo(shell.context.stdin, 'stdin', input)
  }
  try {
    return await readUpTo(createReadStream(path, { highWaterMark }), path, input)
  } catch (error) {
    throw error instanceof CommandFailure ? error : fileFailure(error, { path, ...input, use: 'read' })
  }
}

/** Reads a stream up to a limit, so that a device or a pipe without an end does not fill the memory. */
export async function readUpTo(
  stream: AsyncIterable<Uint8Array | string>,
  name: string,
  { option, maxMiB }: Input,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    bytes += chunks.at(-1)?.byteLength ?? 0
    if (bytes > maxMiB * 1024 * 1024)
      throw new CommandFailure(
        `${option === undefined ? '' : `${option}: `}${name} is larger than ${maxMiB} MiB. Check the path, or pass less.`,
        { code: 'too_large' },
      )
  }
  return Buffer.concat(chunks)
}
