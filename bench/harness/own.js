import { createRequire } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const root = new URL('../../', import.meta.url)
const fromRoot = createRequire(new URL('package.json', root))

/** @param {string} entry of this package, such as `index` or `webhooks` */
export const builtEntry = (entry) => new URL(`dist/${entry}.js`, root)

/** This package as it was built. */
export const sdk = /** @type {typeof import('identity-service-sdk')} */ (
  await import(builtEntry('index').href)
)

/**
 * What this package installs, as it is installed with it: packages measured beside it bring versions of their own.
 *
 * @param {string} name
 */
export const ownDependency = (name) => import(pathToFileURL(fromRoot.resolve(name)).href)

export const rootFolder = fileURLToPath(root)
