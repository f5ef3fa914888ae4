import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const { values, positionals } = read()

function read() {
  try {
    return parseArgs({
      options: { full: { type: 'boolean' }, against: { type: 'string' } },
      allowPositionals: true,
    })
  } catch (error) {
    return quit(`${/** @type {Error} */ (error).message}. Flags: --full, --against PATH`)
  }
}

/** The benchmarks that were named. */
export const named = positionals

/** True if `--full` was passed: longer runs with narrower spreads. */
export const isFull = values.full === true

/** The folder of `--against`: another checkout of this package, which is measured in the same run as this one. */
export const against = values.against === undefined ? undefined : resolve(values.against)

if (against !== undefined && !existsSync(join(against, 'dist/index.js')))
  quit(`${values.against} has no build. Run npm ci && npm run build there.`)

/**
 * @template T
 * @param {T} quick
 * @param {T} full
 */
export const byMode = (quick, full) => (isFull ? full : quick)

/**
 * @param {string} message
 * @returns {never}
 */
export function quit(message) {
  console.error(message)
  process.exit(2)
}
