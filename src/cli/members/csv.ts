import { stringify } from 'csv-stringify/sync'

/** One record a line. What a spreadsheet would take for a formula gets an apostrophe before it. */
export function toCsv(columns: readonly string[], records: readonly object[]): string {
  return stringify([...records], {
    header: true,
    columns: [...columns],
    escape_formulas: true,
    record_delimiter: 'unix',
    cast: { boolean: String },
  })
}
