import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const src = new URL('../../src/', import.meta.url)

/** The code of a file, without its comments. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

it('a path of the service is spelled in the contract and nowhere else', async () => {
  const files = (await readdir(src, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const spelled: string[] = []
  for (const name of files) {
    if (name.startsWith('contract/')) continue
    if (/['"`/]api\//.test(codeOf(await readFile(new URL(name, src), 'utf8')))) spelled.push(name)
  }
  expect(files.length).toBeGreaterThan(50)
  expect(spelled).toEqual([])
})
