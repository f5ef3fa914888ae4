import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const policy = readFileSync('SECURITY.md', 'utf8')

it('SECURITY.md names every package that is bundled, apart from what these need themselves', () => {
  const { devDependencies, dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  const own = Object.keys({ ...devDependencies, ...dependencies })
  const notices = readFileSync('docs/licenses/third-party.txt', 'utf8')
  const bundled = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(/gm)].map(([, name = '']) => name)
  const [list = ''] = /^- zod[^.]*are bundled[^.]*\./m.exec(policy) ?? []

  const listed = bundled.filter((name) => own.includes(name))
  expect(listed.length).toBeGreaterThan(5)
  expect(listed.filter((name) => !list.split(/[\s,]+/).includes(name))).toEqual([])
})
