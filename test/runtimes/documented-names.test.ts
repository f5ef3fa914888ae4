import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Errors about a missing export, property or option, or too many arguments. Errors about types are ignored. */
const unknownNames = new Set([2305, 2339, 2353, 2551, 2554, 2561, 2724])

it('the code on every page uses only names and options that the package declares', async () => {
  const places = new Map<string, string>()
  for (const path of publicPages) {
    const { blocks } = readPage(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
    for (const { language, name, source, line } of blocks) {
      if (language !== 'js') continue
      const file = join(installed.project, `${places.size}.mjs`)
      places.set(file, `${path}:${line} ${name}`)
      await writeFile(file, source)
    }
  }
  const program = ts.createProgram([...places.keys()], {
    noEmit: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    typeRoots: [join(installed.project, 'node_modules/@types')],
    types: ['node'],
    strict: false,
  })

  const errors = [...places].flatMap(([file, place]) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .filter(({ code }) => unknownNames.has(code))
      .map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`),
  )

  expect(places.size).toBeGreaterThan(9)
  expect(errors).toEqual([])
})
