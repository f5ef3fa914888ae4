import { expect, it } from 'vitest'
import { bulk } from '../../src/bulk/bulk.ts'
import { collect } from '../support/collect.ts'

/** Work on some numbers whose total is their sum. */
function adding(numbers: Iterable<number>) {
  const facts = { runs: 0, sum: 0, closed: false }
  async function* run() {
    facts.runs += 1
    try {
      for (const number of numbers) {
        facts.sum += number
        yield number
      }
    } finally {
      facts.closed = true
    }
  }
  const owner = { operation: 'numbers.add', logger: undefined }
  return { facts, work: bulk(run, () => ({ sum: facts.sum }), owner) }
}

function* brokenAfter(numbers: readonly number[]) {
  yield* numbers
  throw new RangeError('the source is cut off')
}

it('leaving the loop ends the work, and await then returns the totals so far', async () => {
  const { facts, work } = adding([1, 2, 3])
  for await (const item of work) if (item === 2) break
  expect(facts.closed).toBe(true)
  expect(await work).toEqual({ sum: 3 })
})

it('a loop after await yields nothing', async () => {
  const { work } = adding([1, 2, 3])
  await work
  expect(await collect(work)).toEqual([])
})

it('concurrent consumers share one run', async () => {
  const { facts, work } = adding([1, 2, 3])
  expect(await Promise.all([work, work])).toEqual([{ sum: 6 }, { sum: 6 }])
  expect(facts.runs).toBe(1)
})

it('two loops share the items', async () => {
  const { work } = adding([1, 2, 3, 4])
  const [first, second] = await Promise.all([collect(work), collect(work)])
  expect([...first, ...second].sort()).toEqual([1, 2, 3, 4])
})

it('await and every later await reject with the error of the work', async () => {
  const { work } = adding(brokenAfter([1]))
  await expect(work).rejects.toThrow(RangeError)
  await expect(work.then()).rejects.toThrow(RangeError)
})

it('every concurrent await rejects with the error of the work', async () => {
  const { work } = adding(brokenAfter([1, 2]))
  const outcomes = await Promise.allSettled([work, work, work])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
})

it('await rejects after a loop that threw, because the totals are incomplete', async () => {
  const { work } = adding(brokenAfter([1]))
  await expect(collect(work)).rejects.toThrow(RangeError)
  await expect(work).rejects.toThrow(RangeError)
})

it('an error that the loop throws ends the work, and does not become an error of the work', async () => {
  const { facts, work } = adding([1, 2, 3])
  const loop = async () => {
    for await (const _ of work) throw new Error('thrown by the loop')
  }
  await expect(loop()).rejects.toThrow('thrown by the loop')
  expect(await work).toEqual({ sum: 1 })
  expect(facts.closed).toBe(true)
})

it('then, catch and finally run the work', async () => {
  expect(await adding([1, 2]).work.then(({ sum }) => sum)).toBe(3)
  expect(await adding([1, 2]).work.catch(() => 'unused')).toEqual({ sum: 3 })
  expect(await adding(brokenAfter([])).work.catch((error: unknown) => String(error))).toMatch(/RangeError/)
  const calls: string[] = []
  expect(await adding([1, 2]).work.finally(() => calls.push('finally'))).toEqual({ sum: 3 })
  expect(calls).toEqual(['finally'])
})
