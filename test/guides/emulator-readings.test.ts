import { expect, it } from 'vitest'
import * as z from 'zod'
import { readings } from '../../src/emulator/options/readings.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const page = 'docs/reference/emulator-readings.md'
const section = 'Readings of the contract'
const guide = documentedCode('docs/reference/emulator-readings.md')

it('the table of readings lists every reading with its values, the default first', () => {
  const values = columnOf(page, section, 2)
  const { properties = {} } = z.toJSONSchema(readings, { io: 'input' })
  const documented = columnOf(page, section).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    Object.entries(properties).map(([name, schema]) => [name, Object(schema).enum.map(String).join(', ')]),
  )
})

it('the assertions about readings hold', async () => {
  await expect(guide.run(section)).resolves.toBe('')
})
