import { fileURLToPath } from 'node:url'
import { transformerTwoslash } from '@shikijs/vitepress-twoslash'
import ts from 'typescript'
import type { MarkdownRenderer } from 'vitepress'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = fileURLToPath(new URL('../samples', import.meta.url))

const { options: compilerOptions } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${folder}/tsconfig.json`, (path) => ts.sys.readFile(path)).config,
  ts.sys,
  folder,
)

/** Shows the type of each name in a sample. A sample that does not compile fails the build. */
export const typesOfSamples = transformerTwoslash({
  twoslashOptions: {
    vfsRoot: folder,
    // The paths of the package are relative to it.
    compilerOptions: { ...compilerOptions, baseUrl: root },
    extraFiles: {
      'index.ts': {
        prepend: '/// <reference path="./readers-modules.d.ts" />\n',
        append: '\nexport {}\n',
      },
    },
  },
})

/** Marks the samples of written pages. The reference contains declarations, which are no programs. */
export function markSamples(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('samples', ({ tokens, env }) => {
    if (env.isIndexed || String(env.relativePath).startsWith('reference/')) return true
    for (const token of tokens) if (token.type === 'fence' && token.info === 'ts') token.info = 'ts twoslash'
    return true
  })
}
