import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { referencePages } from './pages.ts'

it.each([...referencePages()].map(([file, text]) => [basename(file), file, text] as const))(
  'docs/reference/%s is generated from the sources',
  async (_, file, text) => {
    await expect(text).toMatchFileSnapshot(file)
  },
)
