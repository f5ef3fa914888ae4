import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { entries } from '../../tsup.config.ts'

/** The docstring of one public name. */
export interface PublicDocstring {
  /** For example `Sessions.create`. */
  readonly name: string
  /** The specifier of the entry that exports it. The root, if the root exports it too. */
  readonly entry: string
  readonly kind: 'function' | 'method' | 'class' | 'type' | 'value' | 'field'
  /** The text before the tags, in one line. */
  readonly summary: string
  /** The texts of the tags with a name, in order. */
  tags(name: string): readonly string[]
  /** True if callers may omit it. */
  readonly isOptional: boolean
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const packageName = 'identity-service-sdk'

/** Specifiers of the entries, each with its source file. The root is first. */
const sources = Object.entries(entries).map(
  ([name, source]) => [name === 'index' ? packageName : `${packageName}/${name}`, root + source] as const,
)

/** The docstrings of every exported name and of its members. */
export function publicDocstrings(): readonly PublicDocstring[] {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram(
    sources.map(([, source]) => source),
    { ...options, types: ['node'] },
  )
  const checker = program.getTypeChecker()
  const found = new Map<ts.Symbol, readonly PublicDocstring[]>()
  for (const [entry, source] of sources) {
    const file = program.getSourceFile(source)
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`${source} exports nothing`)
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
      if (!found.has(symbol))
        found.set(
          symbol,
          (symbol.declarations ?? []).flatMap((node) => read(node, entry, [])),
        )
    }
  }
  // The docstring of an overloaded function is at its first signature.
  const all = [...found.values()].flat()
  return all.filter(({ name, summary }, index) => {
    const first = all.findIndex((one) => one.name === name && one.summary !== '')
    return first === -1 ? all.findIndex((one) => one.name === name) === index : first === index && summary !== ''
  })
}

function read(node: ts.Node, entry: string, outer: readonly string[]): PublicDocstring[] {
  if (isPrivate(node)) return []
  const name = [...outer, nameOf(node)]
  const own = { ...docstring(node, name.join('.'), entry), kind: kindOf(node) }
  return [own, ...membersOf(node).flatMap((member) => read(member, entry, name))]
}

function docstring(node: ts.Node, name: string, entry: string): Omit<PublicDocstring, 'kind'> {
  const owner = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const docs = ts.getJSDocCommentsAndTags(owner).filter(ts.isJSDoc)
  const tags = docs.flatMap((doc) => doc.tags ?? [])
  return {
    name,
    entry,
    summary: docs
      .map(({ comment }) => ts.getTextOfJSDocComment(comment) ?? '')
      .join(' ')
      .replace(/\s+/g, ' '),
    tags: (wanted) => tags.filter(({ tagName }) => tagName.text === wanted).map(textOf),
    isOptional: ts.isPropertySignature(node) && node.questionToken !== undefined,
  }
}

/**
 * The text of a tag in the source, because the parser reads `{NotFoundError}` and the first word of a `@see` as types.
 */
const textOf = (tag: ts.JSDocTag) =>
  tag.tagName.text === 'example'
    ? (ts.getTextOfJSDocComment(tag.comment) ?? '')
    : tag
        .getText()
        .replace(/\s*\n\s*\*?\s*/g, ' ')
        .replace(/^@\w+\s*/, '')

const nameOf = (node: ts.Node) => ('name' in node && (node.name as ts.Node | undefined)?.getText()) || 'constructor'

function kindOf(node: ts.Node): PublicDocstring['kind'] {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isMethodDeclaration(node) || ts.isMethodSignature(node) || isUnboundMethod(node)) return 'method'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isVariableDeclaration(node)) return 'value'
  return ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node)
    ? 'type'
    : 'field'
}

/** A function of a result that works on its own. The functions of options are callbacks. */
function isUnboundMethod(node: ts.Node): boolean {
  if (!ts.isPropertySignature(node) || node.questionToken || !node.type) return false
  return ts.isFunctionTypeNode(node.type) && !/(?:Options|Params)$/.test(ownerOf(node))
}

const ownerOf = ({ parent }: ts.Node) => (ts.isInterfaceDeclaration(parent) ? parent.name.text : '')

function membersOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) return node.members.filter(hasName)
  const type = ts.isPropertySignature(node) ? node.type : undefined
  return type && ts.isTypeLiteralNode(type) ? type.members.filter(hasName) : []
}

/** Constructors are documented at their class, and index signatures at their interface. */
const hasName = (member: ts.Node) => 'name' in member && member.name !== undefined

function isPrivate(node: ts.Node): boolean {
  const tags = ts.getJSDocTags(node).map(({ tagName }) => tagName.text)
  return tags.includes('internal') || tags.includes('hidden') || /^[#[]/.test(nameOf(node))
}
