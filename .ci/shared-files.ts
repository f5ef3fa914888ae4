import { dirname, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'

type Entries = Readonly<Record<string, string>>

/**
 * Puts each module that several entries import in one file, so that each class exists once, and an import loads few
 * files. esbuild's own splitting writes a file for each set of entries.
 *
 * @param entries the source of each entry
 * @param fileFor returns the name of the file for a module, by the names of the entries that import it
 * @returns a plugin that adds these files to the build of the entries, and one that lets a build load them
 */
export async function sharedFiles(
  entries: Entries,
  fileFor: (users: readonly string[]) => string,
): Promise<{ readonly writing: Plugin; readonly loading: Plugin }> {
  const users = await usersOf(entries)
  const fileOf = new Map<string, string>()
  for (const [module, names] of users) if (names.length > 1) fileOf.set(module, fileFor(names))
  const files = [...new Set(fileOf.values())]
  const exported = await exportsOf([...fileOf.keys()])

  const writing: Plugin = {
    name: 'write-shared-files',
    setup({ initialOptions, onLoad, onResolve }) {
      initialOptions.entryPoints = { ...entries, ...Object.fromEntries(files.map((file) => [file, `shared:${file}`])) }
      onResolve({ filter: /^shared:/ }, ({ path }) => ({ path, namespace: 'shared' }))
      onLoad({ filter: /^/, namespace: 'shared' }, ({ path }) => {
        const modules = [...fileOf].filter(([, file]) => path === `shared:${file}`)
        return { contents: modules.map(([module]) => `export * from './${module}'`).join('\n'), resolveDir: '.' }
      })
    },
  }

  const loading: Plugin = {
    name: 'load-shared-files',
    setup({ initialOptions, onLoad, onResolve }) {
      const extension = initialOptions.outExtension?.['.js'] ?? '.js'
      const built = Object.keys(initialOptions.entryPoints ?? {})
      onResolve({ filter: /^\./, namespace: 'file' }, ({ path, resolveDir, importer }) => {
        const module = relative('.', `${resolveDir}/${path}`)
        const from = relative('.', importer)
        const file = fileOf.get(module)
        if (file === undefined || file === fileOf.get(from)) return undefined
        const entry = fileOf.has(from) ? undefined : users.get(from)?.find((name) => built.includes(name))
        return {
          path: nameOf(module),
          namespace: `${relative(dirname(entry ?? ''), '.') || '.'}/${file}`,
          sideEffects: false,
        }
      })
      for (const namespace of files.flatMap((file) => [`./${file}`, `../${file}`])) {
        // A module that imports the file, so that it is imported once for each of its modules, and not in each place.
        onLoad({ filter: /^/, namespace }, ({ path }) => ({
          contents: `export { ${exported.get(path)?.join(', ')} } from '${namespace}${extension}'`,
        }))
        onResolve({ filter: /^\./, namespace }, ({ path }) => ({ path, external: true, sideEffects: false }))
      }
    },
  }

  return { writing, loading }
}

/** Returns what the build writes above the import of a module, about 600 times. */
const nameOf = (module: string) => module.replace(/^src\/|\.ts$/g, '')

const analysis = { outbase: '.', outdir: '.', write: false, metafile: true } as const

/** Returns the names of the entries that import each module. */
async function usersOf(entries: Entries): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    ...analysis,
    entryPoints: entries,
    bundle: true,
    packages: 'external',
    external: ['#*'],
    loader: { '.css': 'empty', '.svg': 'empty' },
  })
  const users = new Map<string, string[]>()
  for (const [name, source] of Object.entries(entries)) {
    // A loop over a set also visits what is added meanwhile.
    const modules = new Set([source])
    for (const module of modules) {
      users.set(module, [...(users.get(module) ?? []), name])
      for (const { path, external } of metafile.inputs[module]?.imports ?? []) if (!external) modules.add(path)
    }
  }
  return users
}

/** Returns the names that each module exports. */
async function exportsOf(modules: string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({ ...analysis, entryPoints: modules })
  return new Map(Object.values(metafile.outputs).map(({ entryPoint = '', exports }) => [nameOf(entryPoint), exports]))
}
