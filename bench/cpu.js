import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { byMode, isChecking } from './mode.js'

/**
 * `times` is how often a sample does the work. `atOnce` of them are in flight. `own` names the works of this package, with
 * the budgets of their ratios. `names` selects some works. `tolerance` is that of the table.
 *
 * @typedef {{ title: string, of: string, times: number, atOnce?: number, settings: string[], names?: string[], own: Record<string, number | undefined>, node?: string, tolerance?: number }} How
 */

const program = fileURLToPath(new URL('programs/work.js', import.meta.url))

/**
 * Compares the CPU of each work with that of the first one. Each work has its own process, because a real program uses
 * one package and not all of them. The processes take turns, so that other load on the machine affects all of them.
 *
 * @param {string} file the name of a file in `works`
 * @param {How} how
 * @returns {Promise<import('./table.js').Table>}
 */
export async function compareCpu(file, how) {
  const { title, of, times, atOnce = 1, settings, own, node = process.execPath, tolerance } = how
  const module = new URL(`works/${file}.js`, import.meta.url).href
  const { works } = await import(module)
  const all = Object.keys(works(...settings))
  const wanted = how.names ?? all
  // The first row is what a ratio is of.
  const names = isChecking ? wanted.filter((name, i) => i === 0 || name in own) : wanted
  const each = String(byMode(atOnce, times, times))
  /** @type {number[][]} */
  const rounds = []
  // Processes with the same code differ for as long as they live, for example because of where their memory is.
  for (let set = 0; set < byMode(1, 1, 3); set++) {
    const processes = names.map((name) =>
      fork(program, [module, name, each, String(atOnce), ...settings], {
        execPath: node,
        execArgv: ['--no-warnings'],
      }),
    )
    for (const one of processes) await answerOf(one)
    // So that the compiler has seen all of a work before it is measured.
    for (const one of processes) await measured(one, byMode(0, 1000, 3000))
    for (let round = 0; round < byMode(1, 9, 21); round++) {
      /** @type {number[]} */
      const costs = []
      for (const one of processes) costs.push(await measured(one, byMode(0, 50, 100)))
      rounds.push(costs)
    }
    for (const one of processes) one.kill()
  }
  const column = (/** @type {(costs: number[]) => number} */ figure) => median(rounds.map(figure))
  return {
    title,
    columns: { cpu: `CPU per ${of}, µs`, ratio: `times ${names[0]}` },
    ...(tolerance === undefined ? {} : { tolerance }),
    rows: names.map((name, i) => ({
      name,
      own: name in own,
      figures: {
        cpu: column((costs) => Number(costs[i])),
        ratio: column((costs) => Number(costs[i]) / Number(costs[0])),
      },
      limits: own[name] === undefined ? {} : { ratio: own[name] },
    })),
  }
}

/**
 * Measures for some milliseconds of CPU.
 *
 * @param {import('node:child_process').ChildProcess} one
 * @param {number} ms
 */
function measured(one, ms) {
  one.send(ms)
  return answerOf(one)
}

/**
 * @param {import('node:child_process').ChildProcess} one
 * @returns {Promise<number>}
 */
async function answerOf(one) {
  const ended = new AbortController()
  const [answer] = await Promise.race([
    once(one, 'message', ended),
    once(one, 'exit', ended).then(() => Promise.reject(new Error(`${one.spawnargs.join(' ')} ended too soon`))),
  ])
  ended.abort()
  return answer
}

/** @param {readonly number[]} list */
export function median(list) {
  const sorted = list.toSorted((a, b) => a - b)
  return ((sorted[(sorted.length - 1) >> 1] ?? Number.NaN) + (sorted[sorted.length >> 1] ?? Number.NaN)) / 2
}
