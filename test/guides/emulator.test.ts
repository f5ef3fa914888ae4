import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { addressOf, consolePages } from '../../src/emulator/console/layout.ts'
import { readingValues } from '../../src/emulator/options/readings.ts'
import { documentedCode } from '../support/documented-code.ts'
import { columnOf } from './reading.ts'

const guide = documentedCode('docs/emulator.md')
const section = 'Readings of the contract'

it('the table of readings lists every reading with its values, the default first', () => {
  const values = columnOf('docs/emulator.md', section, 2)
  const documented = columnOf('docs/emulator.md', section).map((name, i) => [name, values[i]])

  expect(documented).toEqual(
    Object.entries(readingValues).map(([name, listed]) => [name, listed.map(String).join(', ')]),
  )
})

it('the table of the console lists every page with its path', () => {
  const [names, paths] = [0, 1].map((index) => columnOf('docs/emulator.md', 'Use the console', index))
  const pages = Object.keys(consolePages) as (keyof typeof consolePages)[]

  expect(names).toEqual(pages.map((page) => consolePages[page][1]))
  expect(paths).toEqual(pages.map((page) => addressOf(page)))
})

it('the page of guarantees names the pages of the console that cause failures', () => {
  const guarantees = readFileSync(new URL('../../docs/guarantees.md', import.meta.url), 'utf8')

  for (const page of ['faults', 'webhooks', 'checks', 'overview'] as const)
    expect(guarantees).toContain(`\`${addressOf(page)}\``)
})

it('the assertions about readings hold', async () => {
  await expect(guide.run(section)).resolves.toBe('')
})
