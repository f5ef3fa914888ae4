import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import type { Options } from 'tsup'
import ts from 'typescript'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/**
 * Replaces docstrings with empty lines, so that line numbers stay the same. The declarations contain them, and a second
 * and third copy in scripts and source maps would be a tenth of the package.
 *
 * Comments that a bundler or a licence needs are kept.
 */
export function withoutDocstrings(source: string, path = 'source.ts'): string {
  const found = new Map<number, number>()
  const visit = (node: ts.Node) => {
    for (const { pos, end } of ts.getLeadingCommentRanges(source, node.pos) ?? [])
      if (/^\/\*\*(?![\s\S]*@(?:__|license|preserve))/.test(source.slice(pos, end))) found.set(pos, end)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, source, ts.ScriptTarget.Latest))
  let text = source
  for (const [pos, end] of [...found].sort(([a], [b]) => b - a))
    text = text.slice(0, pos) + text.slice(pos, end).replace(/[^\n]/g, '') + text.slice(end)
  return text
}

/**
 * Replaces top-level statements that leave nothing in a script, which are types, imports and exports of other modules,
 * with empty lines. A debugger never stops in them, and the declarations contain the types.
 */
export function withoutTypes(source: string): string {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest)
  let text = source
  for (const statement of [...file.statements].reverse()) {
    const isEmpty =
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement) ||
      ts.isImportDeclaration(statement) ||
      ts.isExportDeclaration(statement)
    if (!isEmpty) continue
    const [start, end] = [statement.getStart(file), statement.end]
    text = text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, '') + text.slice(end)
  }
  return text
}

/** Leaves docstrings out of scripts and source maps, those of bundled packages too. */
export const noDocstrings: Plugin = {
  name: 'no-docstrings',
  setup(build) {
    build.onLoad({ filter: /\.[cm]?[jt]s$/ }, ({ path }) => ({
      contents: withoutDocstrings(readFileSync(path, 'utf8'), path),
      loader: extname(path).endsWith('ts') ? 'ts' : 'js',
    }))
  },
}
