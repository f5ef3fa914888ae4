import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { isCode } from '../support/documented-code.ts'
import { readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = `${root}docs/site/samples`

/** The samples of all pages, each as a module of the folder that has their settings. */
const samples = new Map(
  publicPages.flatMap((path) =>
    readPage(readFileSync(root + path, 'utf8'))
      .blocks.filter(({ language }) => isCode(language))
      .map(({ source, line }) => {
        const file = `${folder}/${path.replaceAll('/', '-').replace('.md', '')}-${line}.ts`
        return [file, { place: `${path}:${line}`, source: `${source}\nexport {}\n` }] as const
      }),
  ),
)

/** Returns the errors of the compiler, with the place of each in its page. */
function compile(): string[] {
  const read = (path: string) => ts.sys.readFile(path)
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${folder}/tsconfig.json`, read).config,
    ts.sys,
    folder,
  )
  // As readers have them: the declarations that are packed, and no types of a browser.
  const paths = {
    'identity-service-sdk': ['./dist/index.d.ts'],
    'identity-service-sdk/*': ['./dist/*.d.ts'],
  }
  const readers = { ...options, paths, lib: ['lib.es2022.d.ts'] }
  const host = ts.createCompilerHost(readers)
  const ofDisk = host.getSourceFile
  host.fileExists = (path) => samples.has(path) || ts.sys.fileExists(path)
  host.getSourceFile = (path, language) => {
    const sample = samples.get(path)
    return sample ? ts.createSourceFile(path, sample.source, language) : ofDisk(path, language)
  }
  const program = ts.createProgram([...samples.keys(), ...fileNames], readers, host)
  return [...samples].flatMap(([file, { place }]) => {
    const parsed = program.getSourceFile(file)
    const found = [...program.getSyntacticDiagnostics(parsed), ...program.getSemanticDiagnostics(parsed)]
    return found.map(({ messageText, start = 0 }) => {
      const line = (parsed?.getLineAndCharacterOfPosition(start).line ?? 0) + 1
      return `${place}, line ${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`
    })
  })
}

it('every sample is TypeScript, and compiles by itself under strict', { timeout: 300_000 }, () => {
  expect(samples.size).toBeGreaterThan(100)
  expect(compile()).toEqual([])
})

it('no sample is JavaScript', () => {
  const blocks = publicPages.flatMap((path) => readPage(readFileSync(root + path, 'utf8')).blocks)

  expect(blocks.filter(({ language }) => /^(?:js|javascript|mjs|cjs)\b/.test(language))).toEqual([])
})
