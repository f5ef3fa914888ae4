import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { withResults } from '../bench/harness/blocks.js'
import { chartOf } from '../bench/harness/chart.js'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const results = (await readdir(at('bench/results'))).filter((file) => file.endsWith('.json'))
const measures = (await readdir(at('bench/measures'))).map((file) => basename(file, '.js'))
const page = await readFile(at('docs/performance.md'), 'utf8')

it('every benchmark has a result and a section in docs/performance.md', () => {
  const sections = [...page.matchAll(/<!-- bench (?!end)(\w+) -->/g)].map(([, name]) => name)

  expect(results.map((file) => basename(file, '.json')).sort()).toEqual(measures.sort())
  expect(sections.sort()).toEqual(measures)
})

it.each(['docs/performance.md', 'README.md'])(
  'the figures in %s are generated from the results',
  async (path) => {
    const text = await readFile(at(path), 'utf8')

    expect(text).toContain('<!-- bench end -->')
    expect(withResults(text)).toBe(text)
  },
)

it.each(results)('the chart of %s is generated from it', async (file) => {
  const result = JSON.parse(await readFile(at(`bench/results/${file}`), 'utf8'))
  const chart = await readFile(at(`bench/results/${result.name}.svg`), 'utf8')

  expect(chartOf(result)).toBe(chart)
})

it.each(results)('%s contains no name, path or address of the machine', async (file) => {
  const text = await readFile(at(`bench/results/${file}`), 'utf8')

  expect(Object.keys(JSON.parse(text).machine)).toEqual(['cpu', 'cores', 'memoryGiB', 'system', 'load'])
  expect(text).not.toMatch(/(?:"|\s)\/(?:\w+\/)+|file:|https?:|localhost/)
})
