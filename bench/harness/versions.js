import { readFileSync } from 'node:fs'
import { root } from './own.js'
import { pinnedPeers } from './peers.js'

/**
 * Returns the versions of this package, of its dependencies, and of the packages to compare with.
 *
 * @param {readonly string[]} peers
 * @returns {Record<string, string>}
 */
export function ownVersions(peers) {
  const read = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, root), 'utf8'))
  const { name, version, dependencies } = read('package.json')
  const installed = Object.keys(dependencies).map((one) => [
    one,
    read(`node_modules/${one}/package.json`).version,
  ])
  const pinned = pinnedPeers()
  return Object.fromEntries([[name, version], ...installed, ...peers.map((one) => [one, pinned[one]])])
}
