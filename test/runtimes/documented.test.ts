import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'

it('the documentation names the very versions that are tested', async () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    await readFile(new URL('package.json', import.meta.url), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', Record<string, string>>
  const runtimes = { ...optionalDependencies, next: dependencies.next ?? '' }
  const versions = Object.values(runtimes).map((version) => version.replace(/.*@/, ''))

  const text = await readFile(new URL('../../docs/runtimes.md', import.meta.url), 'utf8')
  const table = text.slice(text.indexOf('| Tested with'), text.indexOf('\n\n', text.indexOf('| Tested with')))
  const named = table.match(/\d+\.\d+\.\d+/g)

  expect(named?.sort()).toEqual(versions.sort())
})
