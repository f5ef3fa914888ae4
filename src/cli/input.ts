import { readFile } from 'node:fs/promises'
import { CommandFailure } from './failure.ts'
import type { Shell } from './shell.ts'

const usedUp = new WeakSet<Shell>()

/** The bytes of a file as they are; `-` is what is piped in, which can be read once. */
export async function readAll(shell: Shell, file: string): Promise<Buffer> {
  if (file !== '-') return await readFile(file)
  if (usedUp.has(shell)) throw new CommandFailure('only one thing can be read from stdin (-)')
  usedUp.add(shell)
  const chunks: Uint8Array[] = []
  for await (const chunk of shell.around.stdin)
    chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
  return Buffer.concat(chunks)
}
