import { readdir, readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

const src = new URL('../../src/', import.meta.url)

/** The source of a file without its comments. */
const codeOf = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

it('paths of the service appear only in the contract', async () => {
  const files = (await readdir(src, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const offenders: string[] = []
  for (const name of files) {
    if (name.startsWith('contract/')) continue
    if (/['"`/]api\//.test(codeOf(await readFile(new URL(name, src), 'utf8')))) offenders.push(name)
  }
  expect(files.length).toBeGreaterThan(50)
  expect(offenders).toEqual([])
})
