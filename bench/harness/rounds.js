import { spreadOf } from './spread.js'

/**
 * Does its work so many times, and settles when all of it is done.
 *
 * @typedef {(times: number) => unknown} Row
 */

/**
 * What one time of each row's work costs: CPU of this process with all its threads, garbage included. The rows take
 * turns in short blocks, each between two blocks of the first row, and a ratio is taken to these two alone: whatever
 * else the machine does meets both sides of it.
 *
 * @param {Readonly<Record<string, Row>>} rows the first is what the others are held against
 * @param {{ rounds: number, warmUp?: number, blockMs?: number }} how
 * @returns {Promise<Map<string, { cpu: import('./spread.js').Spread, ratio: import('./spread.js').Spread }>>} in microseconds
 */
export async function inRounds(rows, { rounds, warmUp = 3, blockMs = 60 }) {
  const [base = '', ...names] = Object.keys(rows)
  const times = await blockSizes(rows, warmUp, blockMs)
  const measure = (/** @type {string} */ name) => cpuOf(/** @type {Row} */ (rows[name]), times.get(name) ?? 1)
  /** @type {Map<string, { cpu: number[], ratio: number[] }>} */
  const costs = new Map([base, ...names].map((name) => [name, { cpu: [], ratio: [] }]))
  for (let round = 0; round < rounds; round++) {
    let before = await measure(base)
    costs.get(base)?.ratio.push(1)
    // Another row begins each time: none is always measured at the same moment of a round.
    for (const name of [...names.slice(round % names.length), ...names.slice(0, round % names.length)]) {
      const cost = await measure(name)
      const after = await measure(base)
      costs.get(name)?.cpu.push(cost)
      costs.get(name)?.ratio.push((2 * cost) / (before + after))
      costs.get(base)?.cpu.push(after)
      before = after
    }
  }
  return new Map(
    [...costs].map(([name, { cpu, ratio }]) => [name, { cpu: spreadOf(cpu), ratio: spreadOf(ratio) }]),
  )
}

/**
 * How often each row does its work in a block, once the compiler has seen it.
 *
 * @param {Readonly<Record<string, Row>>} rows
 * @param {number} warmUp
 * @param {number} blockMs
 */
async function blockSizes(rows, warmUp, blockMs) {
  /** @type {Map<string, number>} */
  const times = new Map(Object.keys(rows).map((name) => [name, 4]))
  for (let round = 0; round < warmUp + 2; round++) {
    for (const [name, row] of Object.entries(rows)) {
      const last = times.get(name) ?? 1
      const cost = await cpuOf(row, last)
      times.set(name, Math.max(1, Math.min(last * 16, Math.round((blockMs * 1000) / Math.max(cost, 0.1)))))
    }
  }
  return times
}

/**
 * @param {Row} row
 * @param {number} times
 */
async function cpuOf(row, times) {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await row(times)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}
