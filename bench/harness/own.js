import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = new URL('../../', import.meta.url)
export const rootFolder = fileURLToPath(root)
const fromRoot = createRequire(new URL('package.json', root))

/** The checkout whose build this process measures: another one only in rows that run for `--against`. */
const measured = process.env.BENCH_CHECKOUT ?? rootFolder

/**
 * @param {string} entry an entry of this package, for example `index` or `webhooks`
 * @param {string} [checkout] the folder of a checkout with its build
 */
export const builtEntry = (entry, checkout = measured) => pathToFileURL(join(checkout, `dist/${entry}.js`))

/** The build of this package. */
export const sdk = /** @type {typeof import('identity-service-sdk')} */ (
  await import(builtEntry('index').href)
)

/**
 * Imports a dependency in the version that this package installs. The packages to compare with have their own.
 *
 * @param {string} name
 */
export const ownDependency = (name) => import(pathToFileURL(fromRoot.resolve(name)).href)
