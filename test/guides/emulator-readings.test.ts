import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/emulator-readings.md'
const section = 'Readings of the contract'
const guide = documentedCode('docs/reference/emulator-readings.md')

it('the table of readings lists every reading with its values, the default first', () => {
  const values = columnOf(page, section, 2)
  const schema = JSON.parse(readFileSync('emulator.schema.json', 'utf8'))
  const readings = Object.entries<{ enum: unknown[] }>(schema.properties.readings.properties)
  const documented = columnOf(page, section).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    readings.map(([name, { enum: listed }]) => [name, listed.map(String).join(', ')]),
  )
})

it('the assertions about readings hold', async () => {
  await expect(guide.run(section)).resolves.toBe('')
})
