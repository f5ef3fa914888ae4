import { writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import ts from 'typescript'

/**
 * Writes files of TypeScript into a project that has our package, and says what the compiler has against them and
 * against our declarations. Those of other packages are read and not judged: that takes most of the time.
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
  const judged = program
    .getSourceFiles()
    .filter(({ fileName }) => paths.includes(fileName) || fileName.startsWith(ours))
  const faults = [
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...judged.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]),
  ]
  const host = { getCurrentDirectory: () => project, getCanonicalFileName: (name: string) => name }
  return ts.formatDiagnostics(faults, { ...host, getNewLine: () => '\n' })
}
