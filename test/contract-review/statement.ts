import { it } from 'vitest'

/**
 * Registers one statement of the service contract, in our words, with the code that shows that the package respects it.
 * The title starts with the section.
 */
export function statement(section: string, text: string, check: () => unknown): void {
  it(`${section} ${text}`, async () => {
    await check()
  })
}

type Table = readonly (readonly unknown[])[]

/** The values of each column, one for each parameter of a function. */
type Columns<Rows extends Table, Row extends readonly unknown[] = Rows[0]> = {
  -readonly [Index in keyof Row]: Rows[number][Index & keyof Rows[number]]
}

/** The same for the rows of a table, which are written out next to the statement and never read from `src/contract`. */
export function statements<const Rows extends Table>(
  section: string,
  rows: Rows,
  text: (...row: Columns<Rows>) => string,
  check: (...row: Columns<Rows>) => unknown,
): void {
  for (const row of rows) {
    const values = row as Columns<Rows>
    statement(section, text(...values), () => check(...values))
  }
}
