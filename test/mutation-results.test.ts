import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { folders } from './mutation/folders.mjs'
import { readResults } from './mutation/results.mjs'
import { aim, scoreOf, sumOf, withScores } from './mutation/scores.mjs'

const page = await readFile(new URL('../docs/quality.md', import.meta.url), 'utf8')
const results = readResults()

it('docs/quality.md says what the results of mutation testing say', () => {
  expect(withScores(page)).toBe(page)
})

it('outside of its results docs/quality.md has no figure of its own', () => {
  const prose = page.replace(/<!-- mutation -->[\s\S]*?<!-- mutation end -->|```[\s\S]*?```|`[^`]*`/g, '')

  expect(prose.match(/\d/g)).toBeNull()
})

it('the results are of folders that are mutated', () => {
  expect(Object.keys(folders)).toEqual(expect.arrayContaining(Object.keys(results)))
})

it.each(Object.entries(results))(
  'the tests of src/%s tell at least the asked part of its mutants',
  (_, { files }) => {
    expect(scoreOf(sumOf(Object.values(files)))).toBeGreaterThanOrEqual(aim)
  },
)
