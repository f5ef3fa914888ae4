import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceOf } from './support/source-files.ts'

const rows = sourceOf('docs/explanation/guarantees.md')
  .split('\n')
  .filter((line) => /^\| (?!Guarantee|-)/.test(line))
  .map((row) =>
    row
      .slice(2, -2)
      .split(' | ')
      .map((cell) => cell.trim()),
  )

it('docs/explanation/guarantees.md lists its guarantees as rows of tables', () => {
  expect(rows.length).toBeGreaterThan(10)
})

// By file and not by title, so that a title can be reworded without breaking this page.
it.each(rows)('docs/explanation/guarantees.md names the test files that prove: %s', (...cells) => {
  const proofs = [...(cells.at(-1) ?? '').matchAll(/`(test\/[^`]+\.test\.ts)`/g)]

  expect(cells).toHaveLength(3)
  expect(proofs).not.toEqual([])
  for (const [, path = ''] of proofs) {
    expect(existsSync(new URL(`../${path}`, import.meta.url)), `${path} exists`).toBe(true)
    expect(sourceOf(path), `${path} has tests that run`).toMatch(/\bit(?:\.each)?[(<]/)
  }
})
