import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const bench = new URL('../', import.meta.url)

export const benchFolder = fileURLToPath(bench)

/** @returns {Record<string, string>} the packages to compare with, and their pinned versions */
export const pinnedPeers = () => JSON.parse(readFileSync(new URL('package.json', bench), 'utf8')).dependencies

export const arePeersInstalled = () =>
  Object.entries(pinnedPeers()).every(([name, version]) => installedVersion(name) === version)

/** @param {string} name */
function installedVersion(name) {
  const manifest = new URL(`node_modules/${name}/package.json`, bench)
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined
}

/**
 * Imports a package that may not be installed when types are checked.
 *
 * @param {string} name
 */
export const peer = (name) => import(name)

/**
 * Links a checkout of this package into the folder of the packages to compare with, so that programs import it by name.
 *
 * @param {string} name
 * @param {string} checkout
 */
export function linkPackage(name, checkout) {
  const link = new URL(`node_modules/${name}`, bench)
  rmSync(link, { force: true })
  symlinkSync(checkout, link, 'dir')
  return name
}
