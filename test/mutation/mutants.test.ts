import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceOf } from '../support/source-files.ts'
import { mutants } from './mutants.ts'

it('the text of every mutant is still in the source, and its test file exists', () => {
  for (const { name, file, from, to, test } of mutants) {
    expect(sourceOf(`src/${file}`).split(from), name).toHaveLength(2)
    expect(to, name).not.toBe(from)
    expect(existsSync(test), `${name}: ${test}`).toBe(true)
  }
})
