import { readFile } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { fileFailure } from './file-failure.ts'

const stdinUsed = new WeakSet<Shell>()

/**
 * Returns the bytes of a file, or of stdin for `-`. Stdin can be read only once.
 *
 * @param option the option that names the file, for the error message
 * @throws {CommandFailure} the file cannot be read
 */
export async function readInput(shell: Shell, path: string, option?: string): Promise<Buffer> {
  if (path !== '-')
    return await readFile(path).catch((error: unknown) => {
      throw fileFailure(error, { path, option, use: 'read' })
    })
  if (stdinUsed.has(shell))
    throw new CommandFailure('Only one input can be read from stdin (-). Pass a file for the other one.')
  stdinUsed.add(shell)
  const chunks: Uint8Array[] = []
  for await (const chunk of shell.context.stdin)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
