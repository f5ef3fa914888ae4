import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { isCode } from '../support/documented-code.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { readPage } from '../support/markdown.ts'
import { publicPages } from '../support/public-pages.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Errors about a type that JavaScript cannot express: that of a parameter, a variable or a result. */
const missingAnnotations = new Set([7005, 7006, 7018, 7019, 7022, 7023, 7024, 7031, 7034])

/** Packages that are installed only in the folders of the tests and examples that need them. */
const otherPackages =
  /^(?:bullmq|pg-boss|reflect-metadata|cloudflare:workers|@nestjs\/\w+|@opentelemetry\/[\w-]+|@jest\/globals)$/

it('the code on every page compiles as TypeScript with strict settings, apart from missing annotations', async () => {
  const places = new Map<string, string>()
  for (const path of publicPages) {
    const { blocks } = readPage(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'))
    for (const { language, name, source, line } of blocks) {
      if (!isCode(language)) continue
      const file = join(installed.project, `${places.size}.mts`)
      places.set(file, `${path}:${line} ${name}`)
      await writeFile(file, source)
    }
  }
  const program = ts.createProgram([...places.keys()], {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    experimentalDecorators: true,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2022.d.ts'],
    module: ts.ModuleKind.NodeNext,
    typeRoots: [join(installed.project, 'node_modules/@types')],
    types: ['node'],
  })

  const errors = [...places].flatMap(([file, place]) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .filter((error) => !isExpected(error))
      .map((error) => `${place}: ${textOf(error)}`),
  )

  expect(places.size).toBeGreaterThan(100)
  expect(errors).toEqual([])
})

const textOf = ({ messageText }: ts.Diagnostic) => ts.flattenDiagnosticMessageText(messageText, ' ')

/** Whether an error is one of a missing annotation, or of a module that is not installed. */
function isExpected(error: ts.Diagnostic): boolean {
  const [, module] =
    /^Cannot find module (?:or type declarations for side-effect import of )?'(.+?)'/.exec(textOf(error)) ??
    []
  if (module !== undefined) return module.startsWith('.') || otherPackages.test(module)
  // The key comes from a parameter, or from a module of the reader.
  if (error.code === 7053) return textOf(error).includes("expression of type 'any'")
  return missingAnnotations.has(error.code)
}
