import { keptResult, latestResult } from './result.js'

/**
 * How much a ratio may be above that of the pages, because machines differ, unless the table says it. A ratio within its
 * budget is never too high.
 */
const usualTolerance = 4 / 3

/** A busy machine makes some runs slower, and none faster. */
const maxRuns = 3

/**
 * The ratios of this package, by table and row: those that were measured, or the highest that are no regression.
 *
 * @param {import('./result.js').Result} result
 * @param {'measured' | 'highest'} which
 */
const ratiosOf = ({ tables }, which) =>
  new Map(
    tables.flatMap(({ title, rows, tolerance = usualTolerance }) =>
      rows.flatMap(({ name, own, figures: { ratio }, limits: { ratio: limit = 0 } = {} }) =>
        own && ratio !== undefined
          ? [[`${title}: ${name}`, which === 'measured' ? ratio : Math.max(limit, tolerance * ratio)]]
          : [],
      ),
    ),
  )

/**
 * Returns the benchmarks that compare this package with something in the same run.
 *
 * @param {readonly string[]} names
 */
export const withRatios = (names) => names.filter((name) => ratiosOf(keptResult(name), 'highest').size > 0)

/**
 * Runs a benchmark until each ratio was once within its budget, or little enough above that of the pages, up to three
 * times.
 *
 * @param {string} name
 * @param {() => boolean} succeeds runs it
 */
export function holds(name, succeeds) {
  const highest = ratiosOf(keptResult(name), 'highest')
  /** @type {Map<string, number>} */
  const best = new Map()
  for (let run = 1; run <= maxRuns; run++) {
    if (!succeeds()) return false
    for (const [row, ratio] of ratiosOf(latestResult(name), 'measured'))
      best.set(row, Math.min(ratio, best.get(row) ?? ratio))
    if (regressions(highest, best).length === 0) return true
  }
  for (const [row, ratio] of regressions(highest, best))
    console.error(`${row} may be ${highest.get(row)?.toFixed(2)}, and is ${ratio.toFixed(2)} at best`)
  return false
}

/**
 * @param {ReadonlyMap<string, number>} highest
 * @param {ReadonlyMap<string, number>} best
 */
const regressions = (highest, best) => [...best].filter(([row, ratio]) => ratio > (highest.get(row) ?? Infinity))
