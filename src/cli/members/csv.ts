import { escapeUnsafe, isUnsafe, toEscape } from '../escape.ts'

/** The start of a cell that a spreadsheet would run as a formula, also after spaces, and in its full-width form. */
const formulaStart = String.raw`[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]`

/** With apostrophes before it, so that {@link readCell} returns a text that begins with an apostrophe as it was. */
const needsApostrophe = new RegExp(`^'*${formulaStart}`, 'u')
const hasApostrophe = new RegExp(`^'(?='*${formulaStart})`, 'u')

/** Returns the lines of a CSV file, the first with the names of the columns. */
export function toCsv(columns: readonly string[], records: readonly object[]): string[] {
  const rows = records.map((record) => {
    const values = new Map<string, unknown>(Object.entries(record))
    return columns.map((column) => toCell(String(values.get(column) ?? '')))
  })
  return [columns.map(toCell), ...rows].map((cells) => cells.join(','))
}

function toCell(text: string): string {
  // The escape character is escaped where the text looks like an escape.
  const escaped = escapeUnsafe(text.replace(/\\(?=u[\da-f]{4})/g, toEscape))
  const cell = needsApostrophe.test(escaped) ? `'${escaped}` : escaped
  return `"${cell.replaceAll('"', '""')}"`
}

/** Returns the text from which {@link toCsv} wrote a cell, without its quotes. */
export function readCell(cell: string): string {
  return cell.replace(hasApostrophe, '').replace(/\\u([\da-f]{4})/g, (text, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return character === '\\' || isUnsafe(character) ? character : text
  })
}

/** Help text about {@link toCsv}. */
export const csvNote = `In CSV, every cell is quoted. A cell that begins with = + - or @ is prefixed with ', so that no
spreadsheet runs it as a formula. Control characters, such as tabs and line breaks, and characters
that change the direction of text are written as \\uXXXX. "members import" reads these cells back as
they were.`
