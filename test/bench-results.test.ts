import { readdir, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { withResults } from '../bench/harness/blocks.js'
import { chartOf } from '../bench/harness/chart.js'

const at = (path: string) => new URL(`../${path}`, import.meta.url)
const results = (await readdir(at('bench/results'))).filter((file) => file.endsWith('.json'))
const measures = (await readdir(at('bench/measures'))).map((file) => basename(file, '.js'))
const page = await readFile(at('docs/performance.md'), 'utf8')

it('every benchmark has its result, and every result its part of docs/performance.md', () => {
  const told = [...page.matchAll(/<!-- bench (?!end)(\w+) -->/g)].map(([, name]) => name)

  expect(results.map((file) => basename(file, '.json')).sort()).toEqual(measures.sort())
  expect(told.sort()).toEqual(measures)
})

it.each(['docs/performance.md', 'README.md'])('%s says what the results say', async (path) => {
  const told = await readFile(at(path), 'utf8')

  expect(told).toContain('<!-- bench end -->')
  expect(withResults(told)).toBe(told)
})

it('outside of its results docs/performance.md has no figure of its own', () => {
  const prose = page.replace(/<!-- bench \w+ -->[\s\S]*?<!-- bench end -->|```[\s\S]*?```|`[^`]*`/g, '')

  expect(prose.match(/\d[\d.,]* ?(?:x|µs|ms|%|times)\b/g)).toBeNull()
})

it.each(results)('the chart of %s shows what it says', async (file) => {
  const result = JSON.parse(await readFile(at(`bench/results/${file}`), 'utf8'))
  const chart = await readFile(at(`bench/results/${result.name}.svg`), 'utf8')

  expect(chartOf(result)).toBe(chart)
})

it.each(results)('%s names the machine by its kind alone', async (file) => {
  const text = await readFile(at(`bench/results/${file}`), 'utf8')

  expect(Object.keys(JSON.parse(text).machine)).toEqual(['cpu', 'cores', 'memoryGiB', 'system', 'load'])
  expect(text).not.toMatch(/(?:"|\s)\/(?:\w+\/)+|file:|https?:|localhost/)
})
