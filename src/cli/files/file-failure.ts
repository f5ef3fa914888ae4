import { dirname } from 'node:path'
import { CommandFailure } from '../failure.ts'

interface FileUse {
  readonly path: string
  /** The option that names the file. Not given for an argument. */
  readonly option?: string | undefined
  readonly use: 'read' | 'write'
}

/** What is wrong with a file and what to do next, by the code of the system error. */
const faults: Readonly<Record<string, (path: string, use: FileUse['use']) => string>> = {
  ENOENT: (path, use) =>
    use === 'read'
      ? `${path} does not exist. Check the path.`
      : `${path} cannot be written, because the folder ${dirname(path)} does not exist. Create it first.`,
  ENOTDIR: (path) => `${path} is not a valid path, because a part of it is not a folder. Check the path.`,
  EISDIR: (path) => `${path} is a folder. Pass a file.`,
  EACCES: (path, use) => `${path} cannot be opened: you have no permission to ${use} it.`,
  EPERM: (path, use) => `${path} cannot be opened: you have no permission to ${use} it.`,
  EROFS: (path) => `${path} cannot be written, because its file system is read-only. Choose another file.`,
  ENOSPC: (path) => `${path} cannot be written, because the disk is full. Free some space.`,
  EDQUOT: (path) => `${path} cannot be written, because your quota of the disk is used up. Free some space.`,
  EFBIG: (path) =>
    `${path} cannot be written, because it would exceed the limit of the size of files. Raise the limit.`,
}

/** Describes the error of a file operation: which file, what is wrong, and what to do next. */
export function fileFailure(error: unknown, { path, option, use }: FileUse): CommandFailure {
  const { code = 'file', message } = error as NodeJS.ErrnoException
  const fault = faults[code]?.(path, use) ?? `${path} cannot be ${use === 'read' ? 'read' : 'written'}: ${message}`
  return new CommandFailure(option === undefined ? fault : `${option}: ${fault}`, { code })
}
