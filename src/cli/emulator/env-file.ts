import { createReadStream } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { type Environment, quotedForEnvFile } from '../../emulator/controls/environment.ts'
import { CommandFailure } from '../failure.ts'
import { fileFailure } from '../files/file-failure.ts'
import { readUpTo } from '../files/read-input.ts'
import { replaceFile } from '../files/replace-file.ts'

/**
 * An assignment at the beginning of a line. A value in quotes may have several lines, which are not assignments, and
 * ends its line. A comment after a value without quotes starts with a space.
 */
const assignment =
  /^(\uFEFF?[ \t]*(?:export[ \t]+)?)([A-Za-z_][\w.-]*)([ \t]*=[ \t]*)((?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|`[^`]*`)(?=[ \t]*(?:#[^\r\n]*)?$)|(?:(?![ \t]#)[^\r\n])*)/gm

/**
 * Returns the text of a `.env` file with other values for some names. The other lines, comments, quotes and line ends
 * stay. Names that are missing are added at the end.
 */
export function withSettings(text: string, settings: Environment): string {
  const missing = new Map(Object.entries(settings))
  const changed = text.replace(assignment, (line, indent: string, name: string, sign: string, old: string) => {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined
    if (value === undefined) return line
    missing.delete(name)
    const spaceBeforeComment = old.slice(old.trimEnd().length)
    const ownQuote = /^["'`]/.exec(old)?.[0] ?? ''
    return indent + name + sign + written(name, value, [ownQuote, "'", '"', '`']) + spaceBeforeComment
  })
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  const added = [...missing].map(([name, value]) => `${name}=${written(name, value)}`)
  if (added.length === 0) return changed
  const hasFinalNewline = changed === '' || changed.endsWith('\n')
  return changed + (hasFinalNewline ? '' : lineEnd) + added.join(lineEnd) + (hasFinalNewline ? lineEnd : '')
}

function written(name: string, value: string, quotes?: string[]): string {
  const quoted = quotedForEnvFile(value, quotes)
  if (quoted !== undefined) return quoted
  throw new CommandFailure(`The value of ${name} cannot be written to a .env file. Change it in the file of --config.`)
}

/**
 * Writes settings into a `.env` file. A new file can be read only by its owner. An existing one keeps its mode.
 *
 * @throws {CommandFailure} the file cannot be read or written
 */
export async function writeEnvFile(file: string, settings: Environment): Promise<void> {
  const option = '--write-env'
  const path = await realpath(file).catch(() => file)
  try {
    const existing = await stat(path)
    // The other end of a pipe may never come.
    if (!existing.isFile()) throw new CommandFailure(`${option}: ${path} is not a regular file. Choose another path.`)
    const text = await readUpTo(createReadStream(path), path, { option, maxMiB: 1 })
    await replaceFile({ path, option }, withSettings(text.toString('utf8'), settings), existing.mode & 0o777)
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw fileFailure(error, { path, option, use: 'write' })
    await replaceFile({ path, option }, withSettings('', settings))
  }
}
