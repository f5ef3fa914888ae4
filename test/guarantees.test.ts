import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceOf, testTitles } from './support/source-files.ts'

const rows = sourceOf('docs/guarantees.md')
  .split('\n')
  .filter((line) => /^\| (?!promise|-)/.test(line))

it.each(rows.map((row) => row.split(' | ')))('is proved by tests that exist: %s', (...cells) => {
  const proofs = [...(cells.at(-1) ?? '').matchAll(/`(test\/[^`]+\.test\.ts)`(?:: ((?:"[^"]+"(?:, )?)+))?/g)]

  expect(cells).toHaveLength(3)
  expect(proofs).not.toEqual([])
  for (const [, path = '', titles = ''] of proofs) {
    expect(existsSync(new URL(`../${path}`, import.meta.url)), path).toBe(true)
    for (const [, title = ''] of titles.matchAll(/"([^"]+)"/g)) expect(testTitles(path)).toContain(title)
  }
})
