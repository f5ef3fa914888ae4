/**
 * A row that does its work once after the other.
 *
 * @param {() => unknown} work
 * @returns {import('./rounds.js').Row}
 */
export const repeated = (work) => async (times) => {
  for (let i = 0; i < times; i++) await work()
}
