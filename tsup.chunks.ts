import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { type GetModuleInfo, type OutputOptions, rollup } from 'rollup'
import { minify } from 'terser'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['plugins']>[number]

/**
 * Bundles once more what esbuild split. It makes a chunk for every set of entries that share something, and opening a
 * file costs an import more than what is in it. Here a chunk is all that an entry needs and those before it do not;
 * what is loaded when first needed stays apart.
 *
 * @param entries every file that a program, or the package itself, may import
 * @param shared what others are built on, from the ground up: entries, and modules of the source
 */
export const fewChunks = (entries: readonly string[], shared: readonly string[]): Plugin => ({
  name: 'few-chunks',
  async buildEnd({ writtenFiles }) {
    const { outDir } = this.options
    const files = new Map(entries.map((name) => [name, resolve(outDir, `${name}.js`)]))
    const bundle = await rollup({
      input: Object.fromEntries(files),
      external: /^[^./]/,
      treeshake: false,
      onwarn(warning) {
        // What a chunk of esbuild imports and no longer uses.
        if (warning.code !== 'UNUSED_EXTERNAL_IMPORT') throw new Error(warning.message)
      },
    })
    const output: OutputOptions = {
      dir: outDir,
      hoistTransitiveImports: false,
      minifyInternalExports: false,
      manualChunks(id, { getModuleIds, getModuleInfo }) {
        if ([...files.values()].includes(id)) return undefined
        const holds = (source: string) => (chunk: string) =>
          getModuleInfo(chunk)?.code?.includes(`// ${source}\n`)
        const name = shared.find((start) => {
          const from = files.get(start) ?? [...getModuleIds()].find(holds(start))
          return from !== undefined && reached(from, getModuleInfo).has(id)
        })
        return name && basename(name, '.ts')
      },
    }
    const chunks = [
      ...(await bundle.generate({ ...output, format: 'es', chunkFileNames: 'shared/[name].js' })).output,
      ...(
        await bundle.generate({
          ...output,
          format: 'cjs',
          entryFileNames: '[name].cjs',
          chunkFileNames: 'shared/[name].cjs',
          esModule: true,
          exports: 'named',
        })
      ).output,
    ]
    await Promise.all(writtenFiles.map(({ name }) => rm(name)))
    await mkdir(resolve(outDir, 'shared'), { recursive: true })
    for (const chunk of chunks)
      if (chunk.type === 'chunk') await writeFile(resolve(outDir, chunk.fileName), await dense(chunk))
  },
})

/** The modules that come with an import of one, itself included. */
function reached(from: string, getModuleInfo: GetModuleInfo, found = new Set<string>()): Set<string> {
  if (!found.has(from)) {
    found.add(from)
    for (const id of getModuleInfo(from)?.importedIds ?? []) reached(id, getModuleInfo, found)
  }
  return found
}

/**
 * Without white space and comments the package is a third smaller, and what V8 looks through at an import is too. Names
 * stay as they are and lines short, so that a stack still tells where; so do the marks that tell bundlers what may be
 * dropped.
 */
async function dense({ code }: { readonly code: string }): Promise<string> {
  // Without side effects there is no order to keep, and bundlers warn of imports for nothing else.
  const needed = code.replace(/^import '\.[^']+';\n/gm, '')
  const { code: written } = await minify(needed, {
    module: true,
    compress: false,
    mangle: false,
    format: { comments: false, preserve_annotations: true, max_line_len: 160, ecma: 2020 },
  })
  return written as string
}
