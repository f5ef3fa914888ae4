import { type CsvError, type Info, parse } from 'csv-parse/sync'
import { memberRoles, memberStatuses, type NewMember } from 'identity-service-sdk'
import { comparableEmail, hiddenCharacter, isBareEmail, plainEmail } from '../../contract/organization/email.ts'
import { CommandFailure } from '../failure.ts'
import { readCell } from './csv.ts'

/** A row that is not a member, or the second one with an email. */
export interface InvalidRow {
  /** The line on which the row ends. The first line is 1. */
  readonly line: number
  /** The invalid column. Missing if it is the row. */
  readonly column?: string
  /** What is wrong, as the predicate of a sentence about the column or the row. */
  readonly detail: string
}

export interface Rows {
  /** Each with its status, if it has one, which `plan` reads. */
  readonly rows: readonly NewMember[]
  readonly invalid: readonly InvalidRow[]
  /** Names of unknown columns. */
  readonly ignoredColumns: readonly string[]
}

const columns = ['email', 'first_name', 'last_name', 'role', 'status'] as const

type Column = (typeof columns)[number]

/** How the text of a cell is read. In names, spaces inside quotes, and line breaks, are a part of the text. */
const read: Readonly<Record<Column, (cell: string) => string>> = {
  email: plainEmail,
  first_name: (cell) => cell,
  last_name: (cell) => cell,
  role: (cell) => cell.trim(),
  status: (cell) => cell.trim().toLowerCase(),
}

const headerHelp = 'The first line must name the columns: email, and optionally first_name, last_name, role, status.'

/** A quote that is not closed would otherwise read the rest of the file as one cell. In bytes. */
const maxRowBytes = 64 * 1024

/** Without the first line. Each takes up to a kilobyte of memory, however few bytes it has in the file. */
const maxRows = 1_000_000

/** RFC 5321 allows no longer addresses. In characters. */
const maxEmailLength = 254

/**
 * Reads the rows of a CSV file.
 *
 * @throws {CommandFailure} the encoding, the quotes or the header of the file are invalid
 */
export function readRows(bytes: Uint8Array): Rows {
  const text = decode(bytes)
  const [header, ...records] = parseCsv(text)
  if (header === undefined) throw new CommandFailure(`The file is empty. ${headerHelp}`)
  if (records.length > maxRows)
    throw new CommandFailure(`The file has more than ${maxRows} rows. Pass a file with fewer members.`, {
      code: 'too_large',
    })
  const { columnIndexes, ignoredColumns } = readColumns(header.record)
  const lineByEmail = new Map<string, number>()
  const rows: NewMember[] = []
  const invalid: InvalidRow[] = []
  for (const { record, info } of records) {
    const line = info.lines
    const cells = Object.fromEntries(
      columns.map((column) => {
        const cell = readCell(record[columnIndexes.get(column) ?? -1] ?? '')
        return [column, read[column](cell)]
      }),
    ) as Record<Column, string>
    const expected = header.record.length
    // A spreadsheet also writes cells that were cleared to the right of the table.
    const found = record.slice(expected).some((cell) => cell !== '') ? record.length : expected
    const fault = faultOf(cells, { found: Math.min(found, record.length), expected })
    if (fault !== undefined) {
      invalid.push({ line, ...fault })
      continue
    }
    const key = comparableEmail(cells.email)
    const firstLine = lineByEmail.get(key)
    if (firstLine !== undefined) {
      invalid.push({ line, detail: `has the same email as line ${firstLine}` })
      continue
    }
    lineByEmail.set(key, line)
    const filled = Object.entries(cells).filter(([, cell]) => cell !== '')
    rows.push(Object.fromEntries(filled) as unknown as NewMember)
  }
  return { rows, invalid, ignoredColumns }
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    // UTF-16 without accents decodes as UTF-8 with NULs.
    if (!text.includes('\0')) return text
  } catch {
    // Invalid UTF-8 fails below, as text with NULs does.
  }
  throw new CommandFailure(
    'The file is not text in UTF-8. If it is a workbook or another format, export it as "CSV UTF-8", then run the command again.',
  )
}

function parseCsv(text: string): { record: string[]; info: Info }[] {
  const [first = '', second = ''] = text.split(/\r\n|\r|\n/, 2)
  // The line by which a program tells Excel the delimiter.
  const hint = /^"?sep=(.)"?$/i.exec(first)
  const heading = hint ? second : first
  const delimiter = hint?.[1] ?? [',', ';', '\t'].find((candidate) => heading.includes(candidate)) ?? ','
  try {
    return parse(text, {
      delimiter,
      from_line: hint ? 2 : 1,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      // A spreadsheet writes the rows whose cells were cleared.
      skip_records_with_empty_values: true,
      // Spaces inside quotes are kept.
      trim: true,
      max_record_size: maxRowBytes,
      // One more than accepted, and the first line.
      to: maxRows + 2,
    }) as unknown as { record: string[]; info: Info }[]
  } catch (error) {
    // The parser's own message quotes the cell, which may contain personal data.
    const { code, lines } = error as CsvError & { lines?: number }
    if (code === undefined) throw error
    throw new CommandFailure(
      `Cannot parse line ${lines ?? '?'}: a quote is not closed, or is in the middle of a cell. ` +
        'Fix the quotes, then run the command again.',
      { code: 'csv' },
    )
  }
}

function readColumns(names: readonly string[]) {
  const columnIndexes = new Map<Column, number>()
  const ignoredColumns: string[] = []
  for (const [index, name] of names.entries()) {
    const normalized = name.trim().toLowerCase().replace(/[ -]/g, '_')
    const column = columns.find((candidate) => candidate === normalized)
    if (name.trim() === '') continue
    if (column === undefined) ignoredColumns.push(name.trim())
    else if (columnIndexes.has(column))
      throw new CommandFailure(`The first line names the column ${column} twice. Remove one of the two.`)
    else columnIndexes.set(column, index)
  }
  if (!columnIndexes.has('email'))
    throw new CommandFailure(`The first line does not name the column email. ${headerHelp}`)
  return { columnIndexes, ignoredColumns }
}

function faultOf(
  cells: Readonly<Record<Column, string>>,
  { found, expected }: { found: number; expected: number },
): { column?: string; detail: string } | undefined {
  if (found !== expected)
    return { detail: `has ${found} ${found === 1 ? 'cell' : 'cells'}, but the first line has ${expected}` }
  const { email, role, status } = cells
  const hidden = hiddenCharacter(email)
  if (hidden !== undefined) return { column: 'email', detail: `contains the invisible or control character ${hidden}` }
  const garbled = columns.find((column) => /(?![\t\r\n])\p{Cc}/u.test(cells[column]))
  if (garbled !== undefined) return { column: garbled, detail: 'contains control characters' }
  if (email === '') return { column: 'email', detail: 'is empty' }
  if (email.length > maxEmailLength || !isBareEmail(email))
    return { column: 'email', detail: 'is not an email address' }
  if (role !== '' && !memberRoles.some((known) => known === role))
    return { column: 'role', detail: `must be one of ${memberRoles.join(', ')}` }
  // A leaver under a status of another system must not become a member.
  if (status !== '' && !memberStatuses.some((known) => known === status))
    return { column: 'status', detail: `must be one of ${memberStatuses.join(', ')}` }
  return undefined
}
