import { calls } from './calls.mjs'
import { emulated } from './emulated.mjs'
import { trust } from './trust.mjs'
import { uploads } from './uploads.mjs'

/** @typedef {import('./app.mjs').App} App */

/** @type {Readonly<Record<string, (app: App) => unknown>>} */
const scenarios = { ...calls, ...uploads, ...trust, ...emulated }

/**
 * Does everything that an app does, and tells what it saw of each thing.
 *
 * @param {App} app
 */
export async function report(app) {
  const { navigator } = /** @type {{ navigator?: { userAgent: string } }} */ (globalThis)
  /** @type {Record<string, unknown>} */
  const seen = { runtime: navigator?.userAgent ?? `Node.js/${process.version.slice(1)}` }
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      seen[name] = await scenario(app)
    } catch (thrown) {
      seen[name] = `threw ${thrown instanceof Error ? thrown.stack : thrown}`
    }
  }
  return seen
}
