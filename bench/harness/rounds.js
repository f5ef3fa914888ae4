import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { spreadOf } from './spread.js'

/**
 * Does its work so many times, and settles when all of it is done.
 *
 * @typedef {(times: number) => unknown} Row
 */

const worker = fileURLToPath(new URL('../programs/row.js', import.meta.url))

/**
 * What one time of each row's work costs: CPU of its process with all its threads, garbage included. Each row has a
 * process, as a program has that uses one package and not all of them. They take turns in short blocks, each between
 * two blocks of the first row, and a ratio is taken to these two alone: whatever else the machine does meets both
 * sides of it.
 *
 * @param {string} file of `rows`
 * @param {readonly string[]} names the first is what the others are held against
 * @param {{ rounds: number, blockMs: number, settings?: readonly string[], node?: string }} how
 * @returns {Promise<Map<string, { cpu: import('./spread.js').Spread, ratio: import('./spread.js').Spread }>>} in microseconds
 */
export async function inRounds(file, names, { rounds, blockMs, settings = [], node = process.execPath }) {
  const module = new URL(`../rows/${file}.js`, import.meta.url).href
  const [base, ...others] = await Promise.all(
    names.map((name) => startRow(name, [module, name, ...settings], node)),
  )
  if (base === undefined) throw new Error('no rows')
  const all = [base, ...others]
  for (const row of all) await calibrate(row, blockMs)
  for (let round = 0; round < rounds; round++) {
    let before = await block(base)
    base.ratio.push(1)
    // Another row begins each time: none is always measured at the same moment of a round.
    for (const row of [...others.slice(round % others.length), ...others.slice(0, round % others.length)]) {
      const cost = await block(row)
      const after = await block(base)
      row.cpu.push(cost)
      row.ratio.push((2 * cost) / (before + after))
      base.cpu.push(after)
      before = after
    }
  }
  for (const { process: child } of all) child.kill()
  return new Map(all.map(({ name, cpu, ratio }) => [name, { cpu: spreadOf(cpu), ratio: spreadOf(ratio) }]))
}

/**
 * @param {string} name
 * @param {readonly string[]} parameters
 * @param {string} node
 */
async function startRow(name, parameters, node) {
  const child = fork(worker, parameters, { execPath: node, execArgv: ['--no-warnings'] })
  await told(child, name)
  return {
    name,
    process: child,
    times: 4,
    cpu: /** @type {number[]} */ ([]),
    ratio: /** @type {number[]} */ ([]),
  }
}

/** @param {Awaited<ReturnType<typeof startRow>>} row */
async function block({ name, process: child, times }) {
  child.send(times)
  return told(child, name)
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name
 * @returns {Promise<number>}
 */
async function told(child, name) {
  const ended = new AbortController()
  const [answer] = await Promise.race([
    once(child, 'message', ended),
    once(child, 'exit', ended).then(() => Promise.reject(new Error(`${name} ended too soon`))),
  ])
  ended.abort()
  return answer
}

/**
 * Finds how often a row does its work in a block, and lets the compiler learn it. What was quickest counts: the machine
 * may have been busy in between.
 *
 * @param {Awaited<ReturnType<typeof startRow>>} row
 * @param {number} blockMs
 */
async function calibrate(row, blockMs) {
  for (let blocks = 0; blocks < 12; blocks++) {
    const fitting = Math.ceil((blockMs * 1000) / Math.max(await block(row), 0.1))
    row.times = Math.max(row.times, Math.min(row.times * 16, fitting))
  }
}
