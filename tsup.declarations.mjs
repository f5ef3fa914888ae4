// Corrects the bundled declarations for CommonJS, and writes those for ES modules:
// - tsup's bundler exports each class as a value, also if its entry exports only the type. Without the mark `type`,
//   `x instanceof ApiPromise` would compile, and fail to link.
// - Without `#private`, a fake of a client is an object.
// - The declarations for ES modules export those for CommonJS. An ES module may import CommonJS, so every compiler reads
//   them, and the types of both are the same. A copy would be a tenth of the package.
// - They are indented with tabs, as the scripts are.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import ts from 'typescript'

/** @param {string} file */
const parse = (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest)

/**
 * Returns the names that a source file exports as values.
 *
 * @param {string} file
 * @returns {Set<string>}
 */
function valuesOf(file) {
  /** @type {Set<string>} */
  const values = new Set()
  for (const statement of parse(file).statements) {
    if (ts.isExportDeclaration(statement) && !statement.isTypeOnly) {
      const { exportClause, moduleSpecifier } = statement
      if (exportClause && ts.isNamedExports(exportClause)) {
        for (const { name, isTypeOnly } of exportClause.elements) if (!isTypeOnly) values.add(name.text)
      } else if (moduleSpecifier && ts.isStringLiteral(moduleSpecifier)) {
        const exported = new URL(moduleSpecifier.text, `file:///${file}`).pathname.slice(1)
        for (const name of valuesOf(exported)) values.add(name)
      }
    } else if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) {
      if (statement.name) values.add(statement.name.text)
    } else if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations)
        if (ts.isIdentifier(name)) values.add(name.text)
    }
  }
  return values
}

/**
 * Whether declarations take types from another package, which may have other types for ES modules than for CommonJS.
 *
 * @param {string} declarations
 */
const usesPackage = (declarations) =>
  ts.preProcessFile(declarations).importedFiles.some(({ fileName }) => !/^(?:\.|node:)/.test(fileName))

for (const file of readdirSync('dist', { recursive: true, encoding: 'utf8' })) {
  const entry = /^(.*)\.d\.cts$/.exec(file)?.[1]
  if (entry === undefined) continue
  const path = join('dist', file)
  const declarations = readFileSync(path, 'utf8')
    .replace(/^ +#private;\n/gm, '')
    .replace(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4))
  // Files that entries share have no source of their own, and no names that programs import.
  const source = `src/${entry}.ts`
  const values = existsSync(source) ? valuesOf(source) : undefined
  const marked = declarations.replace(/^export \{ (.*) \}(.*);$/gm, (line, list, from) => {
    if (values === undefined) return line
    const names = String(list)
      .split(', ')
      .map((name) =>
        name.startsWith('type ') || values.has(name.replace(/.* as /, '')) ? name : `type ${name}`,
      )
    return `export { ${names.join(', ')} }${from};`
  })
  writeFileSync(path, marked)
  if (values === undefined) continue
  const reference = `export * from './${basename(entry)}.cjs'\n`
  writeFileSync(join('dist', `${entry}.d.ts`), usesPackage(marked) ? marked : reference)
}
