import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec'
import { type GetModuleInfo, type OutputOptions, type Plugin as RollupPlugin, rollup } from 'rollup'
import type { Options } from 'tsup'
import ts from 'typescript'
import { withoutTypes } from './tsup.docstrings.ts'
import { bundledJose, minifyThirdParty } from './tsup.third-party.ts'

type Plugin = NonNullable<Options['plugins']>[number]
type EsbuildPlugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Bundles esbuild's chunks again, into few. esbuild creates a chunk for every set of entries that share something, and
 * each file costs an import more than its content: with esbuild's 56 files, an import of the root takes 2.4 times the CPU
 * (40 ms in place of 17 in one run; budget: @workos-inc/node in the same run plus 2 ms). Here a chunk contains what an
 * entry needs and the entries before it do not. Code that is loaded lazily stays apart.
 *
 * @param entries every file that a program, or the package itself, may import
 * @param shared what the others are built on, from the bottom: entries, and modules of the source
 * @param josePlugins plugins of esbuild for the copy of jose in the CommonJS files
 */
export const fewChunks = (
  entries: readonly string[],
  shared: readonly string[],
  josePlugins: EsbuildPlugin[],
): Plugin => ({
  name: 'few-chunks',
  async buildEnd({ writtenFiles }) {
    const { outDir } = this.options
    const files = new Map(entries.map((name) => [name, resolve(outDir, `${name}.js`)]))
    const bundle = (external: RegExp, plugins: readonly RollupPlugin[]) =>
      rollup({
        input: Object.fromEntries(files),
        external,
        treeshake: false,
        plugins: [...plugins],
        onwarn(warning) {
          // A chunk of esbuild imports what it no longer uses.
          if (warning.code !== 'UNUSED_EXTERNAL_IMPORT') throw new Error(warning.message)
        },
      })
    const [esm, cjs] = await Promise.all([
      bundle(/^[^./]/, [sourceMaps]),
      bundle(/^(?!jose$)[^./]/, [bundledJose(josePlugins), sourceMaps]),
    ])
    const output: OutputOptions = {
      dir: outDir,
      sourcemap: true,
      hoistTransitiveImports: false,
      minifyInternalExports: false,
      manualChunks(id, { getModuleIds, getModuleInfo }) {
        if ([...files.values()].includes(id)) return undefined
        const isFrom = (source: string) => (chunk: string) =>
          getModuleInfo(chunk)?.code?.includes(`// ${source}\n`)
        const name = shared.find((start) => {
          const from = files.get(start) ?? [...getModuleIds()].find(isFrom(start))
          return from !== undefined && reachable(from, getModuleInfo).has(id)
        })
        return name && basename(name, '.ts')
      },
    }
    const chunks = [
      ...(await esm.generate({ ...output, format: 'es', chunkFileNames: 'shared/[name].js' })).output,
      ...(
        await cjs.generate({
          ...output,
          format: 'cjs',
          // Jest's sandbox rejects `import()`.
          dynamicImportInCjs: false,
          entryFileNames: '[name].cjs',
          chunkFileNames: 'shared/[name].cjs',
          esModule: true,
          exports: 'named',
        })
      ).output,
    ]
    await Promise.all(writtenFiles.map(({ name }) => rm(name)))
    await mkdir(resolve(outDir, 'shared'), { recursive: true })
    for (const file of chunks) {
      const path = resolve(outDir, file.fileName)
      if (file.type === 'chunk')
        await writeFile(path, withTabs(isMapped(path) ? file.code : await unmapped(file.code)))
      else if (isMapped(path)) await writeFile(path, smallMap(file.fileName, String(file.source)))
    }
  },
})

/** Indents with tabs, which takes a twentieth off the scripts. Lines inside a template keep their spaces. */
export function withTabs(code: string): string {
  const templates: [start: number, end: number][] = []
  const visit = (node: ts.Node) => {
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node))
      templates.push([node.pos, node.end])
    else ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('chunk.js', code, ts.ScriptTarget.Latest))
  let template = 0
  return code.replace(/(?<=\n) +/g, (spaces, at: number) => {
    while ((templates[template]?.[1] ?? code.length) <= at) template += 1
    return at < (templates[template]?.[0] ?? code.length) ? '\t'.repeat(spaces.length / 2) : spaces
  })
}

/** The emulator has no source maps. Its sources are not quoted, and our part of its scripts is readable. jose has none. */
const isMapped = (path: string) => !/[/\\](?:emulator|node-http\.\w+|jose)\.c?js(?:\.map)?$/.test(path)

const unmapped = (code: string) => minifyThirdParty(code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))

/**
 * Hands esbuild's source maps to Rollup, so that stack traces lead to the TypeScript source. They leave out other
 * packages, whose sources are not installed.
 */
const sourceMaps: RollupPlugin = {
  name: 'source-maps',
  async load(id) {
    const [code, json] = await Promise.all([readFile(id, 'utf8'), readFile(`${id}.map`, 'utf8')])
    const map = JSON.parse(json)
    const isOurs = ([, source]: SourceMapSegment) =>
      source !== undefined && /^(?:\.\.\/)+src\//.test(map.sources[source])
    return { code, map: { ...map, mappings: decode(map.mappings).map((line) => line.filter(isOurs)) } }
  },
}

/**
 * Maps lines instead of tokens, and quotes the sources of the ES modules only, without those of the contract, and
 * without types: a stack trace needs no more.
 */
function smallMap(fileName: string, source: string): string {
  const map = JSON.parse(source)
  const contentOf = (path: string, i: number) =>
    fileName.endsWith('.js.map') && isQuoted(path) ? withoutTypes(map.sourcesContent[i]) : null
  return JSON.stringify({
    ...map,
    names: [],
    sourcesContent: map.sources.map(contentOf),
    mappings: encode(decode(map.mappings).map(([first]) => [atLineStart(first)])),
  })
}

/** A line without a source has an empty segment, because Node otherwise maps it to the source of the line before. */
const atLineStart = (segment: SourceMapSegment = [0]): SourceMapSegment =>
  segment.length === 1 ? [0] : [0, segment[1], segment[2], segment[3]]

const isQuoted = (path: string) => /\/src\/(?!contract\/|emulator)/.test(path)

/** The modules that an import of one loads, itself included. */
function reachable(from: string, getModuleInfo: GetModuleInfo, found = new Set<string>()): Set<string> {
  if (!found.has(from)) {
    found.add(from)
    for (const id of getModuleInfo(from)?.importedIds ?? []) reachable(id, getModuleInfo, found)
  }
  return found
}
