import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { publicPages } from './support/public-pages.ts'
import { sourceOf } from './support/source-files.ts'

const pages = publicPages.filter((path) => path.startsWith('docs/explanation/guarantees'))

/** The guarantees of all pages, each with its text, up to the next one. */
const guarantees = pages.flatMap((path) =>
  sourceOf(path)
    .split(/\n(?=\*\*|## )/)
    .filter((part) => part.startsWith('**'))
    .map((text) => ({ path, promise: text.slice(2, text.indexOf('**', 2)), text })),
)

it('the pages of guarantees have guarantees in bold', () => {
  expect(pages).toHaveLength(3)
  expect(guarantees.length).toBeGreaterThan(30)
})

// By file and not by title, so that a title can be reworded without breaking this page.
it.each(guarantees)('$path gives the limits of: $promise', ({ text }) => {
  const [, limits, proofs = ''] = /\n- Limits: (.+)\n- Proved by (.+)/.exec(text) ?? []
  const paths = [...proofs.matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => String(path))

  expect(limits).toMatch(/\.$/)
  expect(paths).not.toEqual([])
  for (const path of paths) {
    expect(existsSync(new URL(`../${path}`, import.meta.url)), `${path} exists`).toBe(true)
    expect(sourceOf(path), `${path} has tests that run`).toMatch(/\bit(?:\.each)?[(<]/)
  }
})
