import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { jobsOf } from './comparison.js'
import { spreadOf } from './spread.js'

/**
 * Runs the work the given number of times, and resolves when all of it is done.
 *
 * @typedef {(times: number) => unknown} Row
 * @typedef {Awaited<ReturnType<typeof startRow>>} RowProcess
 */

/**
 * Processes that share the rounds of a row, one after the other. Two processes with the same code can differ for as long
 * as they live, because of where their memory is and when their functions were compiled.
 */
const processesPerRow = 3

const worker = fileURLToPath(new URL('../programs/row.js', import.meta.url))

/**
 * Measures the CPU of each row's work: all threads of its process, including garbage collection. Each row has its own
 * process, because a real program uses one package and not all of them. The processes take turns in short blocks. Each
 * block runs between two blocks of the first row, and its ratio is taken to these two, so that other load on the
 * machine affects both sides.
 *
 * @param {string} file the name of a file in `rows`
 * @param {readonly string[]} names the rows; the others are compared with the first
 * @param {{ own: readonly string[], rounds: number, blockMs: number, settings?: readonly string[], node?: string }} how
 *   `own` names the rows of this package
 * @returns {Promise<Map<string, { cpu: import('./spread.js').Spread, ratio: import('./spread.js').Spread }>>} in microseconds
 */
export async function inRounds(file, names, how) {
  const { own, rounds, blockMs, settings = [], node = process.execPath } = how
  const module = new URL(`../rows/${file}.js`, import.meta.url).href
  const jobs = jobsOf(names, own)
  /** @type {Map<string, { cpu: number[], ratio: number[] }>} */
  const found = new Map(jobs.map(({ name }) => [name, { cpu: [], ratio: [] }]))
  for (let set = 0; set < processesPerRow; set++) {
    const [base, ...others] = await Promise.all(
      jobs.map((job) => startRow(job, [module, job.row, ...settings], node)),
    )
    if (base === undefined) throw new Error('no rows')
    const all = [base, ...others]
    for (const row of all) await calibrate(row, blockMs)
    for (let round = 0; round < Math.ceil(rounds / processesPerRow); round++)
      await measure(base, others, round)
    for (const { process: child, name, cpu, ratio } of all) {
      child.kill()
      found.get(name)?.cpu.push(...cpu)
      found.get(name)?.ratio.push(...ratio)
    }
  }
  return new Map(
    [...found].map(([name, { cpu, ratio }]) => [name, { cpu: spreadOf(cpu), ratio: spreadOf(ratio) }]),
  )
}

/**
 * Measures one block of each row.
 *
 * @param {RowProcess} base
 * @param {readonly RowProcess[]} others
 * @param {number} round
 */
async function measure(base, others, round) {
  let before = await block(base)
  base.ratio.push(1)
  // Each round starts with another row, so that no row is always measured at the same point of a round.
  for (const row of [...others.slice(round % others.length), ...others.slice(0, round % others.length)]) {
    const cost = await block(row)
    const after = await block(base)
    row.cpu.push(cost)
    row.ratio.push((2 * cost) / (before + after))
    base.cpu.push(after)
    before = after
  }
}

/**
 * @param {import('./comparison.js').Job} job
 * @param {readonly string[]} parameters
 * @param {string} node
 */
async function startRow({ name, checkout }, parameters, node) {
  const env = { ...process.env, ...(checkout === undefined ? {} : { BENCH_CHECKOUT: checkout }) }
  const child = fork(worker, parameters, { execPath: node, execArgv: ['--no-warnings'], env })
  await messageFrom(child, name)
  return {
    name,
    process: child,
    times: 4,
    cpu: /** @type {number[]} */ ([]),
    ratio: /** @type {number[]} */ ([]),
  }
}

/** @param {RowProcess} row */
async function block({ name, process: child, times }) {
  child.send(times)
  return messageFrom(child, name)
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} name
 * @returns {Promise<number>}
 */
async function messageFrom(child, name) {
  const ended = new AbortController()
  const [message] = await Promise.race([
    once(child, 'message', ended),
    once(child, 'exit', ended).then(() => Promise.reject(new Error(`${name} ended too soon`))),
  ])
  ended.abort()
  return message
}

/**
 * Finds how often a row runs its work in a block, and warms up the compiler: the first row runs ten times as often as
 * the others, so without a long warm-up it alone would be fully compiled. The fastest block counts, because the machine
 * may have been busy during the others.
 *
 * @param {RowProcess} row
 * @param {number} blockMs
 */
async function calibrate(row, blockMs) {
  for (let blocks = 0; blocks < 30; blocks++) {
    const fitting = Math.ceil((blockMs * 1000) / Math.max(await block(row), 0.1))
    row.times = Math.max(row.times, Math.min(row.times * 16, fitting))
  }
}
