import { keptResult, latestResult } from './result.js'

/** How much a ratio may be above that of the pages, because machines differ. */
const tolerance = 4 / 3

/** A busy machine makes some runs slower, and none faster. */
const maxRuns = 3

/** The ratios of this package, by table and row. @param {import('./result.js').Result} result */
const ratiosOf = ({ tables }) =>
  new Map(
    tables.flatMap(({ title, rows }) =>
      rows.flatMap(({ name, own, figures: { ratio } }) =>
        own && ratio !== undefined ? [[`${title}: ${name}`, ratio]] : [],
      ),
    ),
  )

/**
 * Returns the benchmarks that compare this package with something in the same run.
 *
 * @param {readonly string[]} names
 */
export const withRatios = (names) => names.filter((name) => ratiosOf(keptResult(name)).size > 0)

/**
 * Runs a benchmark until each ratio was once at most a third above that of the pages, up to three times.
 *
 * @param {string} name
 * @param {() => boolean} succeeds runs it
 */
export function holds(name, succeeds) {
  const kept = ratiosOf(keptResult(name))
  /** @type {Map<string, number>} */
  const best = new Map()
  for (let run = 1; run <= maxRuns; run++) {
    if (!succeeds()) return false
    for (const [row, ratio] of ratiosOf(latestResult(name))) best.set(row, Math.min(ratio, best.get(row) ?? ratio))
    if (regressions(kept, best).length === 0) return true
  }
  for (const [row, ratio] of regressions(kept, best))
    console.error(`${row} was ${kept.get(row)}, and is ${ratio.toFixed(2)} at best`)
  return false
}

/**
 * @param {ReadonlyMap<string, number>} kept
 * @param {ReadonlyMap<string, number>} best
 */
const regressions = (kept, best) => [...best].filter(([row, ratio]) => ratio > tolerance * (kept.get(row) ?? ratio))
