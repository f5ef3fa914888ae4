import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rootFolder } from './own.js'

const bench = new URL('./', import.meta.url)

export const benchFolder = fileURLToPath(bench)

/** @type {{ dependencies: Record<string, string> }} */
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', bench), 'utf8'))

/** The packages to compare with. */
export const peers = Object.keys(dependencies).filter((name) => name !== 'tinybench')

export const arePeersInstalled = () =>
  Object.entries(dependencies).every(([name, version]) => {
    const manifest = new URL(`node_modules/${name}/package.json`, bench)
    return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
  })

/**
 * Imports a package that may not be installed when types are checked.
 *
 * @param {string} name
 */
export const peer = (name) => import(name)

/** Links this package into the folder of the packages to compare with, so that programs import it by name. */
export function linkPackage() {
  const name = 'identity-service-sdk'
  const link = new URL(`node_modules/${name}`, bench)
  rmSync(link, { force: true })
  symlinkSync(rootFolder, link, 'dir')
  return name
}
