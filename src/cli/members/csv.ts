import { stringify } from 'csv-stringify/sync'

/** Returns records as CSV. A cell that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function toCsv(columns: readonly string[], records: readonly object[]): string {
  return stringify([...records], {
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'unix',
    cast: { boolean: String },
  })
}

/** Help text about {@link toCsv}. */
export const formulaNote = `In CSV, a cell that begins with = + - @ or a tab is prefixed with ', so that no
spreadsheet runs it as a formula.`
