import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { sourceOf } from '../support/source-files.ts'
import { exploreAll, exploreRandomly, textOf } from './explore.ts'
import { mutants } from './mutants.ts'
import { protocols } from './protocols.ts'
import { replay, replayAgain } from './run.ts'

/** The orders of starts take longer than a test may take. The nightly simulation takes them. */
const small = protocols.filter(({ name }) => name !== 'starts')

it.each(protocols)('$name keeps its promises in random runs with up to 3 faults', async (protocol) => {
  const finding = await exploreRandomly(protocol, { seed: 1, runs: 25 })

  expect(finding && textOf(finding)).toBeUndefined()
})

it.each(small)('$name keeps its promises in every order of two processes', async (protocol) => {
  const { finding, isComplete } = await exploreAll(protocol, { maxFaults: 0, maxRuns: 2_000 })

  expect(finding && textOf(finding)).toBeUndefined()
  expect(isComplete).toBe(true)
})

it.each(protocols)('$name has the same timeline each time for the same seed', async (protocol) => {
  const seed = '0.1.12.3.0.0.2.0.17.1'
  const first = await replay(protocol, seed)
  const again = await replay(protocol, seed)

  expect(again.timeline).toEqual(first.timeline)
  expect(first.timeline.join('\n')).toMatch(/ ! /)
})

/** How each mutant was found, as the nightly simulation wrote it. */
const found = JSON.parse(readFileSync(new URL('mutants.json', import.meta.url), 'utf8')) as {
  readonly mutant: string
  readonly protocol: string
  readonly runs: number
  readonly replay: string
}[]

it('every mutant of a protocol has been found, and its text is still in the source', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30)
  for (const { name, file, from, to } of mutants) {
    expect(sourceOf(`src/${file}`).split(from), name).toHaveLength(2)
    expect(to, name).not.toBe(from)
    expect(found.find(({ mutant }) => mutant === name)?.runs, name).toBeGreaterThan(0)
  }
})

it('the seed that shows a mutant shows nothing in the unchanged source', async () => {
  for (const { mutant, replay: seed } of found) {
    const { violations } = await replayAgain(seed, protocols)

    expect(violations, mutant).toEqual([])
  }
})

it('a callback does not begin after a pause in which the claim of its process has ended', async () => {
  const { timeline, violations } = await replayAgain('webhooks/0.0.0.0.0.0.0.11.1/2/1/1/reduced', protocols)

  expect(violations).toEqual([])
  const ofPaused = timeline.filter((line) => /p1 +(?:stands|callback begins|store: set .* if absent)/.test(line))
  const steps = ofPaused.map((line) => line.slice(22).split(' ')[0])
  expect(steps.slice(0, 3)).toEqual(['store:', 'stands', 'store:'])
})

// Registered only if the variable is set, because CI counts a skipped test as failed.
it('onChange does not begin after a pause in which the lease of its process has ended', async () => {
  const seed = ['0.0.1.0.1', ...Array(101).fill(0), '11.1.2'].join('.')
  const { timeline, violations } = await replayAgain(`outcomes/${seed}/2/1/1/reduced`, protocols)

  expect(violations).toEqual([])
  const ofPaused = timeline.filter((line) => /p1 +(?:stands|onChange begins: in_review)/.test(line))
  expect(ofPaused.map((line) => line.slice(22).split(' ')[0])).toEqual(['stands'])
})

it('onChange does not run again if the store fails once while its change is removed', async () => {
  const seed = ['0.0.1.0.1', ...Array(99).fill(0), '12'].join('.')
  const { timeline, violations } = await replayAgain(`outcomes/${seed}/2/1/1/reduced`, protocols)

  expect(violations).toEqual([])
  expect(timeline.join('\n')).toMatch(/! p1 +lost: response to get verification:/)
  expect(timeline.filter((line) => line.includes('onChange begins: open'))).toHaveLength(1)
})

it('a mark of a refresh that arrives after the record was restored changes nothing', async () => {
  const seed = '0.0.0.0.0.0.0.0.0.0.1.0.17.0.0.0.0.0.0.0.0.0.0.0.16'
  const { timeline, violations } = await replayAgain(`tokens/${seed}/2/1/2/reduced`, protocols)

  expect(violations).toEqual([])
  const marks = timeline.filter((line) => / store: set tokens:user = refreshing .* -> /.test(line))
  expect(marks.slice(0, 2).map((line) => line.split(' -> ')[1])).toEqual(['true', 'false'])
})

it.each([process.env.SIMULATION].filter((seed) => seed !== undefined))('replays %s', async () => {
  const { timeline, violations } = await replayAgain(process.env.SIMULATION ?? '', protocols)

  console.log(timeline.join('\n'))
  expect(violations).toEqual([])
})
