import { createHash } from 'node:crypto'
import { type FileHandle, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseJson } from '../../runtime/bytes.ts'
import { CommandFailure } from '../failure.ts'
import { openPrivate, readPrivate } from '../files/private-file.ts'

/** A row that the service has processed. It is not sent again. */
export interface DoneRow {
  readonly line: number
  readonly outcome: 'created' | 'reactivated' | 'skipped'
  readonly detail?: string
  readonly member_id?: string
  /** Anyone who has the link can activate the member. */
  readonly activation_link?: string
}

/** A file to which the import has written its report, so that resuming it may overwrite that file. */
interface ReportLine {
  /** The absolute path. */
  readonly report: string
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

const format = 'identity-service-sdk members import 1'

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

  private constructor(path: string, file: FileHandle, { done, length }: SavedJournal) {
    this.path = path
    this.#file = file
    this.#length = length
    this.done = new Map(done.map((row) => [row.line, row]))
  }

  /**
   * Opens a journal for writing, or creates it.
   *
   * @param saved what {@link readJournal} returned for the same path
   * @throws {CommandFailure} the journal cannot be written
   */
  static async open(
    path: string,
    saved: SavedJournal,
    { inputs, report }: { inputs: ImportInputs; report: string | undefined },
  ): Promise<Journal> {
    // A journal that is resumed and was deleted meanwhile is not created again: it would lack the rows that are done.
    const file = await openPrivate({ path }, { create: saved.length === 0 })
    await file.truncate(saved.length)
    const journal = new Journal(path, file, saved)
    if (saved.length === 0) await journal.#write([{ format, ...inputs }])
    if (report !== undefined) await journal.#write([{ report: resolve(report) } satisfies ReportLine])
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

/** What a journal contains before it is resumed. */
export interface SavedJournal {
  readonly done: readonly DoneRow[]
  /** Whether the import has written its report to a file. */
  hasReport(file: string): boolean
  /** The part of the file that is kept, in bytes. */
  readonly length: number
}

/**
 * Reads the journal at a path. Returns an empty one if the file does not exist.
 *
 * @throws {CommandFailure} the journal has other inputs, or the file is not a journal
 */
export async function readJournal(
  path: string,
  inputs: ImportInputs,
  { mustExist }: { mustExist: boolean },
): Promise<SavedJournal> {
  const option = mustExist ? '--resume' : undefined
  const content = await readPrivate({ path, option }, { mustExist })
  // A crash can leave an incomplete last line. It is cut off, so that its row is sent again.
  const complete = content.slice(0, content.lastIndexOf('\n') + 1)
  const [head = { format, ...inputs }, ...lines] = readLines(path, complete)
  const done = lines.filter((line) => 'outcome' in line) as DoneRow[]
  const difference = differenceOf(head, inputs)
  if (difference !== undefined && done.length > 0)
    throw new CommandFailure(
      `Cannot resume from the journal ${path}: ${difference}. Restore the file and the options, or ` +
        'delete the journal to start over: members who were added already are then skipped.',
      { code: 'resume' },
    )
  return {
    done,
    hasReport: (file) => lines.some((line) => 'report' in line && line.report === resolve(file)),
    length: difference === undefined ? Buffer.byteLength(complete) : 0,
  }
}

function differenceOf(head: object, inputs: ImportInputs): string | undefined {
  const saved: Partial<Record<keyof ImportInputs, unknown>> = head
  const name = (Object.keys(inputs) as (keyof ImportInputs)[]).find((one) => saved[one] !== inputs[one])
  return name && differences[name]
}

function readLines(path: string, text: string): object[] {
  const lines = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parseLine(path, line))
  const [head] = lines
  if (head !== undefined && !('format' in head && head.format === format)) throw notAJournal(path)
  return lines
}

function parseLine(path: string, line: string): object {
  const value = parseJson(line)
  if (typeof value === 'object' && value !== null) return value
  throw notAJournal(path)
}

const notAJournal = (path: string) =>
  new CommandFailure(
    `${path} is not the journal of an import. Move the file, or pass the journal with --resume.`,
    { code: 'resume' },
  )
