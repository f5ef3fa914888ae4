/**
 * Returns a row that runs its work sequentially.
 *
 * @param {() => unknown} work
 * @returns {import('./rounds.js').Row}
 */
export const sequential = (work) => async (times) => {
  for (let i = 0; i < times; i++) await work()
}
