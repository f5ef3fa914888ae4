import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = new URL('../', import.meta.url)
export const rootFolder = fileURLToPath(root)
const fromRoot = createRequire(new URL('package.json', root))

/** @param {string} entry an entry of this package, for example `index` or `webhooks` */
export const builtEntry = (entry) => new URL(`dist/${entry}.js`, root)

/** The build of this package. */
export const sdk = /** @type {typeof import('identity-service-sdk')} */ (await import(builtEntry('index').href))

/**
 * Imports a dependency in the version that this package installs. The packages to compare with have their own.
 *
 * @param {string} name
 */
export const ownDependency = (name) => import(pathToFileURL(fromRoot.resolve(name)).href)
