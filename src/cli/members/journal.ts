import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'

/** A row that the service has processed. It is not sent again. */
export interface DoneRow {
  readonly line: number
  readonly outcome: 'created' | 'reactivated' | 'skipped'
  readonly detail?: string
  readonly member_id?: string
  /** Anyone who has the link can activate the member. */
  readonly activation_link?: string
}

/** What an import depends on. A journal is resumed only by an import with equal values. */
export interface ImportInputs {
  readonly csv: string
  readonly target: string
  readonly notify: boolean
  readonly invite: string
}

const differences: Readonly<Record<keyof ImportInputs, string>> = {
  csv: 'the CSV file has changed since',
  target: 'it belongs to another organization (SVC_ORG_BASE_URL or SVC_CLIENT_ID differs)',
  notify: 'it was written with another choice of --notify or --no-notify',
  invite: 'it was written with another value of --invite',
}

const format = 'identity-service members import 1'

/** Returns a hash, by which files and credentials can be compared without storing them. */
export const digest = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

/**
 * The rows that are done, as JSON lines in a file next to the CSV file. They are on the disk before the next request is
 * sent. The journal contains no emails, and only its owner can read it.
 */
export class Journal {
  readonly path: string
  /** The rows that are done, by their line in the CSV file. */
  readonly done: Map<number, DoneRow>
  readonly #file: FileHandle
  #length = 0

  private constructor(path: string, file: FileHandle, done: readonly DoneRow[]) {
    this.path = path
    this.#file = file
    this.done = new Map(done.map((row) => [row.line, row]))
  }

  /**
   * Opens the journal at a path, or creates it.
   *
   * @throws {CommandFailure} the journal has other inputs, or the file is not a journal
   */
  static async open(
    path: string,
    inputs: ImportInputs,
    { mustExist }: { mustExist: boolean },
  ): Promise<Journal> {
    const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || mustExist) throw error
      return ''
    })
    // A crash can leave an incomplete last line. It is cut off, so that its row is sent again.
    const complete = content.slice(0, content.lastIndexOf('\n') + 1)
    const done = complete === '' ? [] : readLines(path, complete, inputs)
    const file = await open(path, complete === '' ? 'w' : 'r+', 0o600)
    await file.truncate(Buffer.byteLength(complete))
    const journal = new Journal(path, file, done)
    journal.#length = Buffer.byteLength(complete)
    if (complete === '') await journal.#write([{ format, ...inputs }])
    return journal
  }

  /** Adds rows. Resolves when they are on the disk. */
  async add(rows: readonly DoneRow[]): Promise<void> {
    for (const row of rows) this.done.set(row.line, row)
    await this.#write(rows)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Deletes the file. */
  remove(): Promise<void> {
    return rm(this.path, { force: true })
  }

  async #write(lines: readonly object[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await this.#file.write(bytes, 0, bytes.length, this.#length)
    this.#length += bytes.length
    await this.#file.datasync()
  }
}

function readLines(path: string, text: string, inputs: ImportInputs): DoneRow[] {
  const [head, ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => parseLine(path, line))
  if ((head as { format?: unknown }).format !== format) throw notAJournal(path)
  for (const name of Object.keys(inputs) as (keyof ImportInputs)[]) {
    if ((head as Record<string, unknown>)[name] === inputs[name]) continue
    throw new CommandFailure(
      `Cannot resume from the journal ${path}: ${differences[name]}. Restore the file and the options, or ` +
        'delete the journal to start over: members who were added already are then skipped.',
      { code: 'resume' },
    )
  }
  return rows as DoneRow[]
}

function parseLine(path: string, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw notAJournal(path)
  }
}

const notAJournal = (path: string) =>
  new CommandFailure(
    `${path} is not the journal of an import. Move the file, or pass the journal with --resume.`,
    { code: 'resume' },
  )
