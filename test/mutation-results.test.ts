import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { folders } from './mutation/folders.mjs'
import { readResults } from './mutation/results.mjs'
import { countsByFolder, scoreOf, targetScore, withScores } from './mutation/scores.mjs'

const page = await readFile(new URL('../docs/quality.md', import.meta.url), 'utf8')
const results = readResults()

it('the figures in docs/quality.md are generated from the results', () => {
  expect(withScores(page)).toBe(page)
})

it('every result belongs to a folder that is mutated', () => {
  expect(Object.keys(folders)).toEqual(expect.arrayContaining(Object.keys(results)))
})

// A path that no longer exists would select no tests, and all mutants would survive without an error.
it.each(Object.entries(folders))('src/%s and the tests that run for it exist', (folder, tests) => {
  const paths = [`src/${folder}`, ...tests]

  expect(paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([])
})

it.each(countsByFolder(results))('the mutation score of src/%s is at least the target', (_, counts) => {
  expect(scoreOf(counts)).toBeGreaterThanOrEqual(targetScore)
})
