import { calls } from './calls.mjs'
import { emulated } from './emulated.mjs'
import { trust } from './trust.mjs'
import { uploads } from './uploads.mjs'

/** @typedef {import('./app.mjs').App} App */

/** @type {Readonly<Record<string, (app: App) => unknown>>} */
const scenarios = { ...calls, ...uploads, ...trust, ...emulated }

/**
 * Runs all scenarios and returns the result of each.
 *
 * @param {App} app
 */
export async function report(app) {
  /** @type {Record<string, unknown>} */
  const results = { runtime: runtimeName() }
  for (const [name, scenario] of Object.entries(scenarios)) {
    try {
      results[name] = await scenario(app)
    } catch (thrown) {
      results[name] = `threw ${thrown instanceof Error ? thrown.stack : thrown}`
    }
  }
  return results
}

/** Returns the name of the runtime. Node 20 and the edge runtime of Next.js have no navigator. */
function runtimeName() {
  const { navigator, EdgeRuntime, process } =
    /** @type {{ navigator?: { userAgent: string }, EdgeRuntime?: string, process?: { versions?: { node: string } } }} */ (
      globalThis
    )
  return navigator?.userAgent ?? EdgeRuntime ?? `Node.js/${process?.versions?.node}`
}
