import { existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The folders of all installed packages, by name. Those of the repository win over those of tests. */
function installed(): Map<string, string> {
  const folders = ['test/node_modules', 'node_modules'].map((path) => join(root, path)).filter(existsSync)
  const names = (folder: string) => readdirSync(folder).filter((name) => !name.startsWith('.'))
  return new Map(
    folders.flatMap((folder) =>
      names(folder)
        .flatMap((name) => (name.startsWith('@') ? names(join(folder, name)).map((one) => `${name}/${one}`) : name))
        .map((name) => [name, join(folder, name)] as const),
    ),
  )
}

/**
 * Links the packages that this repository has installed into a `node_modules`, so that no registry is needed.
 *
 * @param instead folders of other versions, by name
 */
export function linkDependencies(modules: string, instead: Readonly<Record<string, string>> = {}): void {
  const links = new Map([...installed(), ...Object.entries(instead)])
  links.delete('identity-service-sdk')
  for (const [name, folder] of links) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    symlinkSync(folder, join(modules, name))
  }
}
