import { writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import ts from 'typescript'

/**
 * Writes TypeScript files into a project with the installed package, and checks them and the declarations of the
 * package. Declarations of other packages are not checked, because that takes most of the time.
 *
 * @returns the errors of the compiler
 */
export async function typeCheck(project: string, files: Readonly<Record<string, string>>): Promise<string> {
  const paths = Object.keys(files).map((file) => join(project, file))
  for (const [file, source] of Object.entries(files)) await writeFile(join(project, file), source)
  const program = ts.createProgram(paths, {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    typeRoots: [join(project, 'node_modules/@types')],
    types: ['node'],
  })
  const ours = join(project, 'node_modules/identity-service-sdk') + sep
  const checked = program
    .getSourceFiles()
    .filter(({ fileName }) => paths.includes(fileName) || fileName.startsWith(ours))
  const errors = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...checked.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
  ]
  const host = { getCurrentDirectory: () => project, getCanonicalFileName: (name: string) => name }
  return ts.formatDiagnostics(errors, { ...host, getNewLine: () => '\n' })
}
