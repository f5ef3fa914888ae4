import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { documentedCode } from '../support/documented-code.ts'

const page = 'docs/about/capacity-planning.md'
const guide = documentedCode('docs/about/capacity-planning.md')
const text = readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8')

type Needs = (load: object) => Record<string, number>

/** Formats a number as the tables do. */
const format = (value: number) =>
  value.toLocaleString('en', value < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 })

it('the tables contain the results of the formulas', async () => {
  const { needs } = await guide.load<{ needs: Needs }>('Calculate')
  const tables = [...(text.split('## Long lookups')[0]?.matchAll(/(?:^\|.*\n)+/gm) ?? [])].map(([table]) => table)
  const rows = (load: string) => {
    const columns = [1, 100, 10_000].map((rate) => needs({ [load]: rate }))
    return Object.keys(columns[0] ?? {})
      .map((what) => [what, ...columns.map((column) => format(column[what] ?? 0))])
      .filter(([, first]) => first !== '0')
  }
  const printed = tables.map((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
  )

  expect(printed).toEqual([rows('verifications'), rows('lookups')])
})
