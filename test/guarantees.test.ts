import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceOf } from './support/source-files.ts'

/** The guarantees, each with its text, up to the next one. */
const guarantees = sourceOf('docs/explanation/guarantees.md')
  .split(/\n(?=\*\*|## )/)
  .filter((part) => part.startsWith('**'))
  .map((text) => ({ promise: text.slice(2, text.indexOf('**', 2)), text }))

/** The tests of each guarantee, by its words. */
const proofs = new Map(
  [...sourceOf('docs/about/proofs.md').matchAll(/^- \*\*(.+?)\*\* (.+)$/gm)].map(([, promise, tests]) => [
    promise,
    String(tests),
  ]),
)

it('the page has guarantees in bold, and each proof is that of one of them', () => {
  const promises = guarantees.map(({ promise }) => promise)

  expect(promises.length).toBeGreaterThan(30)
  expect([...proofs.keys()].filter((promise) => !promises.includes(String(promise)))).toEqual([])
})

// By file and not by title, so that a title can be reworded without breaking this page.
it.each(guarantees)('the limits and the tests are named of: $promise', ({ promise, text }) => {
  const [, limits] = /\n- Limits: (.+)/.exec(text) ?? []
  const paths = [...(proofs.get(promise) ?? '').matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => String(path))

  expect(limits).toMatch(/\.$/)
  expect(paths).not.toEqual([])
  for (const path of paths) {
    expect(existsSync(new URL(`../${path}`, import.meta.url)), `${path} exists`).toBe(true)
    expect(sourceOf(path), `${path} has tests that run`).toMatch(/\bit(?:\.each)?[(<]/)
  }
})
