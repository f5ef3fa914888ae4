import { escapeUnsafe, isUnsafe, toEscape } from '../escape.ts'

/**
 * Where an apostrophe keeps a text from being run as a formula: at the start of a cell, and after each character at
 * which a program may start another cell, because it may separate columns by other characters than this file does. A
 * formula starts also after spaces and quotes, and in its full-width form. Apostrophes that are there already count, so
 * that {@link readCell} removes exactly the one that was added.
 */
const formulaStart = /(?<=^|[,;\n])(?='*(?:(?!\n)[\s\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu
const addedApostrophe = /(?<=^|[,;\n])'(?='*(?:(?!\n)[\s\p{Cf}"])*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu

/** Everything but line breaks. A carriage return alone would let a terminal write over a line. */
const betweenLineBreaks = /(?:\r(?!\n)|[^\r\n])+/g

/** Returns the lines of a CSV file, the first with the names of the columns. Cells may contain line breaks. */
export function toCsv(columns: readonly string[], records: readonly object[]): string[] {
  const rows = records.map((record) => {
    const values = new Map<string, unknown>(Object.entries(record))
    return columns.map((column) => toCell(String(values.get(column) ?? '')))
  })
  return [columns.map(toCell), ...rows].map((cells) => cells.join(','))
}

/** Returns the lines of a CSV file that is kept. It starts with a byte order mark, because Excel otherwise expects no UTF-8. */
export const toCsvFile = (...table: Parameters<typeof toCsv>): string[] => {
  const [header, ...lines] = toCsv(...table)
  return [`\ufeff${header}`, ...lines]
}

function toCell(text: string): string {
  const escaped = text
    // The escape character is escaped where the text looks like an escape.
    .replace(/\\(?=u[\da-f]{4})/g, toEscape)
    .replace(betweenLineBreaks, (part) => escapeUnsafe(part))
  return `"${escaped.replace(formulaStart, "'").replaceAll('"', '""')}"`
}

/** Returns the text from which {@link toCsv} wrote a cell, without its quotes. */
export function readCell(cell: string): string {
  return cell.replace(addedApostrophe, '').replace(/\\u([\da-f]{4})/g, (text, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    return character === '\\' || isUnsafe(character) ? character : text
  })
}

/** Help text about {@link toCsv}. */
export const csvNote = `In CSV, every cell is quoted. Where a text could start a formula, ' is put before it: at the start of
a cell, and after a comma, a semicolon or a line break inside a cell. Tabs, other control characters
and characters that change the direction of text are written as \\uXXXX, and on a terminal line
breaks are too. "members sync" reads these cells back as they were. A file of --out starts with a byte
order mark, by which Excel recognizes UTF-8. What is written to stdout does not.`
