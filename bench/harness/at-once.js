/**
 * A row that keeps so many calls under way until enough were made.
 *
 * @param {number} width
 * @param {() => PromiseLike<unknown>} call
 * @returns {import('./rounds.js').Row}
 */
export const atOnce = (width, call) => async (times) => {
  let left = times
  const worker = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: width }, worker))
}
