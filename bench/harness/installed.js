import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * @param {string} name
 * @param {string} folder of the package that asks for it
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
 * Bytes of the files of a package and of all that it installs.
 *
 * @param {string} folder of the package
 * @param {{ self?: boolean }} [how] whether its own files count
 */
export function installedBytes(folder, { self = true } = {}) {
  const found = new Set([folder])
  // Grows while it is read: a set gives what was added since.
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
