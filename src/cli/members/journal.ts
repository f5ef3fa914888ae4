import { createHash } from 'node:crypto'
import { type FileHandle, open, readFile, rm } from 'node:fs/promises'
import { CommandFailure } from '../failure.ts'

/** What the service did with a row: final, so that the row is not sent again. */
export interface DoneRow {
  readonly line: number
  readonly outcome: 'created' | 'reactivated' | 'skipped'
  readonly detail?: string
  readonly member_id?: string
  /** Whoever has it can activate the member. */
  readonly activation_link?: string
}

/** What an import is about. One that is about something else must not go on with its rows. */
export interface Subject {
  readonly csv: string
  readonly target: string
  readonly notify: boolean
  readonly invite: string
}

const format = 'identity-service members import 1'

/** Tells files, and credentials, apart without keeping them. */
export const digest = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex')
}

/**
 * The rows that are done, in a file beside the CSV: one line of JSON each, on the disk before the next call.
 * No emails are in it, and only its owner can read it.
 */
export class Journal {
  readonly path: string
  /** By line of the CSV. */
  readonly done: Map<number, DoneRow>
  readonly #file: FileHandle

  private constructor(path: string, file: FileHandle, done: readonly DoneRow[]) {
    this.path = path
    this.#file = file
    this.done = new Map(done.map((row) => [row.line, row]))
  }

  /**
   * Goes on with the journal at a path, or begins one.
   *
   * @throws {CommandFailure} it is about another file or organization, or is no journal
   */
  static async open(path: string, subject: Subject, { mustExist }: { mustExist: boolean }): Promise<Journal> {
    const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT' || mustExist) throw error
      return ''
    })
    // A line that was being written when the machine stopped has no end: its row is sent again.
    const whole = before.slice(0, before.lastIndexOf('\n') + 1)
    const done = whole === '' ? [] : readLines(path, whole, subject)
    const file = await open(path, whole === '' ? 'w' : 'r+', 0o600)
    await file.truncate(Buffer.byteLength(whole))
    const journal = new Journal(path, file, done)
    journal.#end = Buffer.byteLength(whole)
    if (whole === '') await journal.#write([{ format, ...subject }])
    return journal
  }

  #end = 0

  /** Returns once the rows are on the disk. */
  async add(rows: readonly DoneRow[]): Promise<void> {
    for (const row of rows) this.done.set(row.line, row)
    await this.#write(rows)
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Nothing is left to go on with. */
  remove(): Promise<void> {
    return rm(this.path, { force: true })
  }

  async #write(lines: readonly object[]): Promise<void> {
    if (lines.length === 0) return
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    await this.#file.write(bytes, 0, bytes.length, this.#end)
    this.#end += bytes.length
    await this.#file.datasync()
  }
}

function readLines(path: string, text: string, subject: Subject): DoneRow[] {
  const [head, ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => parseLine(path, line))
  if ((head as { format?: unknown }).format !== format) throw noJournal(path)
  for (const [name, value] of Object.entries(subject)) {
    if ((head as Record<string, unknown>)[name] === value) continue
    const what = name === 'csv' ? 'the CSV file has changed since' : `it was begun with another ${name}`
    throw new CommandFailure(
      `${path} cannot be resumed: ${what}. Put things back, or delete it to begin anew: who was added is skipped`,
      { code: 'resume' },
    )
  }
  return rows as DoneRow[]
}

function parseLine(path: string, line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    throw noJournal(path)
  }
}

const noJournal = (path: string) =>
  new CommandFailure(`${path} is not what an import leaves behind`, { code: 'resume' })
