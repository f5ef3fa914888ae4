import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the scripts that contain code of other packages, by the name of the package. esbuild writes the path of each
 * module before its code.
 *
 * @param folder the package
 */
export function bundledPackages(folder: string): ReadonlyMap<string, readonly string[]> {
  const scripts = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.c?js$/.test(path))
    .map((path) => `dist/${path}`)
    .sort()
  const found = new Map<string, string[]>()
  for (const script of scripts) {
    const text = readFileSync(join(folder, script), 'utf8')
    const modules = text.matchAll(/^\/\/ \S*node_modules\/((?:@[^/]+\/)?[^/\s]+)/gm)
    for (const name of new Set([...modules].map(([, name = '']) => name)))
      found.set(name, [...(found.get(name) ?? []), script])
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)))
}
