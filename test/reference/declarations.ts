import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from '../../tsup.config.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A method or an option, as its docstring describes it. */
export interface Member {
  readonly name: string
  /** The first sentence. */
  readonly summary: string
  /** The default of an option. Empty if the docstring gives none. */
  readonly default: string
  readonly isFunction: boolean
}

/**
 * Reads the declarations of the package. Returns a function that gives the members of an exported type, with those it
 * inherits.
 */
export function readDeclarations(): (type: string) => readonly Member[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const files = Object.values(entries).map((source) => root + source)
  const program = ts.createProgram(files, { ...options, types: ['node'] })
  const checker = program.getTypeChecker()
  const exported = new Map(
    files.flatMap((file) => {
      const source = program.getSourceFile(file)
      const module = source && checker.getSymbolAtLocation(source)
      return module ? checker.getExportsOfModule(module).map((one) => [one.name, one] as const) : []
    }),
  )
  const docsOf = (symbol: ts.Symbol) => plainText(symbol.getDocumentationComment(checker))

  function memberOf(symbol: ts.Symbol): Member[] {
    const declaration = symbol.declarations?.[0]
    if (declaration === undefined || symbol.name.startsWith('__')) return []
    const given = symbol.getJsDocTags(checker).find(({ name }) => name === 'default')
    const type = checker.getTypeOfSymbolAtLocation(symbol, declaration)
    return [
      {
        name: symbol.name,
        summary: beginOf(docsOf(symbol)),
        default: beginOf(plainText(given?.text)).replace(/\.$/, ''),
        isFunction: type.getCallSignatures().length > 0,
      },
    ]
  }

  return (name) => {
    const symbol = exported.get(name)
    if (symbol === undefined) throw new Error(`the package exports no ${name}`)
    const own = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const type = checker.getDeclaredTypeOfSymbol(own)
    const properties = (type.isUnion() ? type.types : [type]).flatMap((part) => part.getProperties())
    // Options that exclude each other are in several parts of a union, and documented in one of them.
    const documented = new Map(properties.filter((one) => docsOf(one) !== '').map((one) => [one.name, one] as const))
    const names = [...new Set(properties.map((one) => one.name))]
    return names.flatMap((one) =>
      memberOf(documented.get(one) ?? (properties.find((p) => p.name === one) as ts.Symbol)),
    )
  }
}

/** The text of a docstring, with the names of its links as code. */
const plainText = (parts: readonly ts.SymbolDisplayPart[] = []) =>
  parts
    .map(({ text }) => text)
    .join('')
    .replace(/\{@link (?:[\w.]+ )?([^}|]+?) *\}/g, '`$1`')
    .replace(/\s+/g, ' ')

/** The first sentence. */
const beginOf = (text: string) => /^.+?\.(?=\s+[-A-Z`{]|$)/.exec(text)?.[0] ?? text
