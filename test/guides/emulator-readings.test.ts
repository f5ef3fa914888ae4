import { expect, it } from 'vitest'
import { readingValues } from '../../src/emulator/options/readings.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/emulator-readings.md'
const section = 'Readings of the contract'
const guide = documentedCode('docs/reference/emulator-readings.md')

it('the table of readings lists every reading with its values, the default first', () => {
  const values = columnOf(page, section, 2)
  const documented = columnOf(page, section).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    Object.entries(readingValues).map(([name, listed]) => [name, listed.map(String).join(', ')]),
  )
})

it('the assertions about readings hold', async () => {
  await expect(guide.run(section)).resolves.toBe('')
})
