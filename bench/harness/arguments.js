/** True if `--full` was passed: longer runs with narrower spreads. */
export const isFull = process.argv.includes('--full')

/**
 * @template T
 * @param {T} quick
 * @param {T} full
 */
export const byMode = (quick, full) => (isFull ? full : quick)
