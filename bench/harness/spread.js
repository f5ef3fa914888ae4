/**
 * A figure that was measured several times: the median and the quartiles.
 *
 * @typedef {{ median: number, q1: number, q3: number, measurements: number }} Spread
 */

/**
 * @param {readonly number[]} list
 * @returns {Spread}
 */
export function spreadOf(list) {
  const sorted = [...list].sort((a, b) => a - b)
  return {
    median: quantile(sorted, 0.5),
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
    measurements: sorted.length,
  }
}

/**
 * @param {readonly number[]} sorted
 * @param {number} part
 */
function quantile(sorted, part) {
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return rounded(below + (above - below) * (place - Math.floor(place)))
}

/**
 * Rounds to four digits, which is more than these machines reproduce.
 *
 * @param {number} value
 */
export const rounded = (value) => Number(value.toPrecision(4))
