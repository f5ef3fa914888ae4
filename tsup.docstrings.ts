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
