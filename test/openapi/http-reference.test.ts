import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { httpReference } from './http-reference.ts'

const pages = httpReference()

it.each([...pages].map(([file, text]) => [basename(file), file, text] as const))(
  'docs/http-reference/%s is generated from the document',
  async (_, file, text) => {
    await expect(text).toMatchFileSnapshot(file)
  },
)

it('the folder of the HTTP reference has the generated pages, and no others', () => {
  const folder = dirname([...pages.keys()][0] ?? '')

  expect(
    readdirSync(folder)
      .map((name) => join(folder, name))
      .sort(),
  ).toEqual([...pages.keys()].sort())
})
