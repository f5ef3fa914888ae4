import { parseArgs } from 'node:util'

const options = /** @type {const} */ ({
  check: { type: 'boolean', default: false },
  full: { type: 'boolean', default: false },
  once: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
})
const { values, positionals } = parseArgs({ options, allowPositionals: true })

/** The benchmarks that were named. */
export const named = positionals

/** `once` only shows that a benchmark runs, because one iteration measures nothing. */
export const mode = values.once ? 'once' : values.full ? 'full' : 'quick'

/** True if the figures of the pages are to be replaced. */
export const isWriting = values.write

/** True if ratios are only compared with those of the pages: without other packages and other versions of Node. */
export const isChecking = values.check

/**
 * @template T
 * @param {T} once
 * @param {T} quick
 * @param {T} full
 */
export const byMode = (once, quick, full) => ({ once, quick, full })[mode]
