import { sep } from 'node:path'
import ts from 'typescript'
import type { InstalledPackage } from '../support/installed-package.ts'

type Entries = ReturnType<InstalledPackage['entries']>

const printer = ts.createPrinter({ removeComments: true })

/**
 * Returns the public declarations of each entry as text that changes only if they change: sorted by name, without
 * comments and without the names of chunks. A declaration that several entries export is written out in the first of
 * them. A declaration that no entry exports is written out in the first entry that refers to it.
 *
 * @param folder the installed package
 */
export function declaredSurface(folder: string, entries: Entries): Map<string, string> {
  const files = entries.map(({ declarations }) => declarations)
  const program = ts.createProgram(files, { noLib: true, types: [], module: ts.ModuleKind.NodeNext })
  const checker = program.getTypeChecker()
  const resolved = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

  function exportsOf({ name, declarations }: Entries[number]) {
    const source = program.getSourceFile(declarations)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${name}: no declarations in ${declarations}`)
    return checker.getExportsOfModule(module).map((one) => ({ as: one.name, symbol: resolved(one) }))
  }

  const entryOf = new Map<ts.Symbol, string>()
  const exported = entries.map((entry) => ({ name: entry.name, symbols: exportsOf(entry) }))
  for (const { name, symbols } of exported)
    for (const { symbol } of symbols) if (!entryOf.has(symbol)) entryOf.set(symbol, name)

  /** Returns the statements of this package that declare a symbol. Declarations inside a statement are left out. */
  const statementsOf = (symbol: ts.Symbol) =>
    (symbol.declarations ?? [])
      .map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node))
      .filter(({ parent }) => parent && ts.isSourceFile(parent) && parent.fileName.startsWith(folder + sep))

  const textOf = (symbol: ts.Symbol, mark: string) =>
    statementsOf(symbol)
      .map((node) => printer.printNode(ts.EmitHint.Unspecified, node, node.getSourceFile()))
      .map((text) => mark + text.replace(/^(?:export )?(?:declare )?/, ''))
      .join('\n')

  /** Adds the declarations that no entry exports and that a symbol refers to, directly or indirectly. */
  function addReferred(symbol: ts.Symbol, found: Map<ts.Symbol, string>, name: string): void {
    const visit = (node: ts.Node): void => {
      const used = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined
      const target = used && resolved(used)
      if (target && !entryOf.has(target) && statementsOf(target).length > 0) {
        entryOf.set(target, name)
        found.set(target, textOf(target, ''))
        addReferred(target, found, name)
      }
      ts.forEachChild(node, visit)
    }
    for (const node of statementsOf(symbol)) visit(node)
  }

  return new Map(
    exported.map(({ name, symbols }) => {
      const own = symbols.filter(({ symbol }) => entryOf.get(symbol) === name)
      const reexported = symbols
        .filter((one) => !own.includes(one))
        .map(({ as, symbol }) => `export { ${as} } from '${entryOf.get(symbol)}'`)
      const texts = new Map<ts.Symbol, string>()
      for (const { as, symbol } of own) {
        const renamed = as === symbol.name ? '' : `export { ${symbol.name} as ${as} }\n`
        texts.set(symbol, renamed + textOf(symbol, renamed ? '' : 'export '))
      }
      for (const { symbol } of own) addReferred(symbol, texts, name)
      const written = [...texts].sort(([a], [b]) => (a.name < b.name ? -1 : 1)).map(([, text]) => text)
      return [name, [reexported.sort().join('\n'), ...written].filter(Boolean).join('\n\n')]
    }),
  )
}
