import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { compilers, kinds } from '../consumers/kinds.ts'

/** @param path from the root of the repository */
const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')

it('docs/runtimes.md names the versions that are tested', async () => {
  const { optionalDependencies } = JSON.parse(await read('test/runtimes/package.json'))
  const { dependencies } = JSON.parse(await read('examples/next/package.json'))
  const { 'node-18': _tooOld, ...supported } = optionalDependencies
  const runtimes: Readonly<Record<string, string>> = { ...supported, next: dependencies.next }
  const versions = Object.values(runtimes).map((version) => version.replace(/.*@/, ''))

  const text = await read('docs/runtimes.md')
  const table = text.slice(text.indexOf('| Tested with'), text.indexOf('\n\n', text.indexOf('| Tested with')))
  const named = table.match(/\d+\.\d+\.\d+/g)

  expect(named?.sort()).toEqual(versions.sort())
})

it('docs/runtimes.md names each kind of project that is tested', async () => {
  const text = await read('docs/runtimes.md')
  const missing = [...kinds, ...compilers].filter(({ name }) => !text.includes(name.replace(/,.*/, '')))

  expect(missing.map(({ name }) => name)).toEqual([])
})
