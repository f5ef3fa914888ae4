// Marks the type-only exports in the bundled declarations, because tsup's bundler exports each class as a value: without
// this, `x instanceof ApiPromise` would compile, and fail to link.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** @param {string} name */
const entriesIn = (name) => {
  const entries = readdirSync(`src${name}`).filter((file) => file.endsWith('.ts'))
  return entries.map((file) => `${name.slice(1)}${name && '/'}${file.replace('.ts', '')}`)
}

for (const entry of [...entriesIn(''), ...entriesIn('/stores')]) {
  for (const ending of ['d.ts', 'd.cts']) {
    const path = `dist/${entry}.${ending}`
    if (!existsSync(path)) continue
    const declarations = readFileSync(path, 'utf8')
    const values = valuesOf(`src/${entry}.ts`)
    const marked = declarations.replace(/^export \{ (.*) \}(.*);$/gm, (_, list, from) => {
      const names = String(list)
        .split(', ')
        .map((name) =>
          name.startsWith('type ') || values.has(name.replace(/.* as /, '')) ? name : `type ${name}`,
        )
      return `export { ${names.join(', ')} }${from};`
    })
    if (marked !== declarations) writeFileSync(path, marked)
  }
}
