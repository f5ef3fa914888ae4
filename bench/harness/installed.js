import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * Returns the folder of an installed package.
 *
 * @param {string} name
 * @param {string} folder the folder of the package that depends on it
 */
export function packageOf(name, folder) {
  const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? []
  const found = places
    .map((place) => join(place, name))
    .find((place) => existsSync(join(place, 'package.json')))
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}

/**
 * Returns the size in bytes of a package and of all its dependencies.
 *
 * @param {string} folder the folder of the package
 * @param {{ self?: boolean }} [how] `self: false` leaves out the package's own files
 */
export function installedBytes(folder, { self = true } = {}) {
  const found = new Set([folder])
  // The set grows during the loop, and the loop visits what was added.
  for (const one of found) {
    const { dependencies = {} } = JSON.parse(readFileSync(join(one, 'package.json'), 'utf8'))
    for (const name of Object.keys(dependencies)) found.add(packageOf(name, one))
  }
  if (!self) found.delete(folder)
  return [...found].flatMap(filesOf).reduce((sum, file) => sum + statSync(file).size, 0)
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
const filesOf = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    if (item.name === 'node_modules') return []
    const path = join(folder, item.name)
    return item.isDirectory() ? filesOf(path) : [path]
  })
