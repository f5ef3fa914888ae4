import { type CsvError, type Info, parse } from 'csv-parse/sync'
import { memberRoles } from '../../contract/organization/roster-terms.ts'
import type { NewMember } from '../../org.ts'
import { CommandFailure } from '../failure.ts'
import { printable } from '../shell.ts'

/** One row of the file that can be sent. */
export interface Row {
  /** The line on which it ends, from 1. */
  readonly line: number
  readonly member: NewMember
}

/** One row that is not sent. */
interface LeftOut {
  readonly line: number
  readonly email: string
  readonly outcome: 'invalid' | 'skipped'
  /** The column that is at fault, as the file calls it. */
  readonly column?: string
  readonly detail: string
}

export interface Rows {
  readonly rows: readonly Row[]
  readonly leftOut: readonly LeftOut[]
  /** Columns that mean nothing here. */
  readonly ignored: readonly string[]
}

const columns = ['email', 'first_name', 'last_name', 'role'] as const

type Column = (typeof columns)[number]

/** A quote that is never closed would swallow the rest of the file. In bytes. */
const largestRow = 64 * 1024

/** RFC 5321: what an address can be at most, in characters. */
const longestEmail = 254

/**
 * Reads the rows of a CSV file.
 *
 * @throws {CommandFailure} the file as a whole cannot be read: its coding, its quotes or its header
 */
export function readRows(bytes: Uint8Array): Rows {
  const text = decode(bytes)
  const [header, ...records] = parseCsv(text)
  if (header === undefined) throw new CommandFailure('the file is empty: its first line names the columns')
  const { places, ignored } = readHeader(header.record)
  const firstLines = new Map<string, number>()
  const rows: Row[] = []
  const leftOut: LeftOut[] = []
  for (const { record, info } of records) {
    const line = info.lines
    const cells = Object.fromEntries(
      columns.map((column) => [column, (record[places.get(column) ?? -1] ?? '').trim()]),
    ) as Record<Column, string>
    const fault = faultOf(cells, { found: record.length, expected: header.record.length })
    if (fault !== undefined) {
      leftOut.push({ line, email: cells.email, outcome: 'invalid', ...fault })
      continue
    }
    const key = cells.email.toLowerCase()
    const first = firstLines.get(key)
    if (first !== undefined) {
      leftOut.push({
        line,
        email: cells.email,
        outcome: 'skipped',
        detail: `the same email as line ${first}`,
      })
      continue
    }
    firstLines.set(key, line)
    const given = Object.entries(cells).filter(([, cell]) => cell !== '')
    rows.push({ line, member: Object.fromEntries(given) as unknown as NewMember })
  }
  return { rows, leftOut, ignored }
}

function decode(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Told below, with text that a NUL proves to be UTF-16.
  }
  throw new CommandFailure('the file is not UTF-8: save it as "CSV UTF-8"')
}

function parseCsv(text: string): { record: string[]; info: Info }[] {
  const [heading = ''] = text.split(/\r?\n/, 1)
  const delimiter = [',', ';', '\t'].find((one) => heading.includes(one)) ?? ','
  try {
    return parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      max_record_size: largestRow,
    }) as unknown as { record: string[]; info: Info }[]
  } catch (error) {
    // Its message quotes the cell.
    const { code, lines } = error as CsvError & { lines?: number }
    if (code === undefined) throw error
    throw new CommandFailure(`line ${lines ?? '?'}: its quotes do not close, or stand where none may`, {
      code: 'csv',
    })
  }
}

function readHeader(names: readonly string[]) {
  const places = new Map<Column, number>()
  const ignored: string[] = []
  for (const [place, name] of names.entries()) {
    const known = name.trim().toLowerCase().replace(/[ -]/g, '_')
    const column = columns.find((one) => one === known)
    if (column === undefined) ignored.push(printable(name.trim()))
    else if (places.has(column)) throw new CommandFailure(`the first line names ${column} twice`)
    else places.set(column, place)
  }
  if (!places.has('email'))
    throw new CommandFailure(
      'the first line must name the columns: email, and first_name, last_name, role if any',
    )
  return { places, ignored }
}

function faultOf(
  cells: Readonly<Record<Column, string>>,
  { found, expected }: { found: number; expected: number },
): { column?: string; detail: string } | undefined {
  if (found !== expected) return { detail: `has ${found} cells where the first line has ${expected}` }
  const odd = columns.find((column) => /\p{Cc}/u.test(cells[column]))
  if (odd !== undefined) return { column: odd, detail: 'holds control characters' }
  const { email, role } = cells
  if (email === '') return { column: 'email', detail: 'is empty' }
  if (email.length > longestEmail || !/^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(email))
    return { column: 'email', detail: 'is no email address' }
  if (role !== '' && !memberRoles.some((one) => one === role))
    return { column: 'role', detail: `must be one of ${memberRoles.join(', ')}` }
  return undefined
}
