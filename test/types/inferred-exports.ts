import { sep } from 'node:path'
import ts from 'typescript'
import type { InstalledPackage } from '../support/installed-package.ts'

/** What statements use: any value, the first item of what can be iterated, and the member of a union with some facts. */
const helpers = `declare const any: any
declare function first<Item>(of: Iterable<Item> | AsyncIterable<Item>): Item
declare function only<Union, Facts>(of: Union, facts: Facts): Extract<Union, Facts>
declare function same<Type>(value: Type): Type`

/** Types whose values contain no others. */
const plain = ts.TypeFlags.Literal | ts.TypeFlags.Null | ts.TypeFlags.Undefined

/**
 * Returns a program that exports every public function and method, what it returns, all that can be read from it, and the
 * functions that it takes, without stating a type. With `declaration`, the compiler needs a name for the type of each.
 */
export function inferredExports({ folder, entries }: Pick<InstalledPackage, 'folder' | 'entries'>): string {
  const all = entries('import')
  const files = all.map(({ declarations }) => declarations)
  const program = ts.createProgram(files, { strict: true, types: ['node'], module: ts.ModuleKind.NodeNext })
  const checker = program.getTypeChecker()
  const statements: string[] = []
  const seen = new Set<string>()

  const isOwn = ({ declarations = [] }: ts.Symbol) =>
    declarations.some((node) => node.getSourceFile().fileName.startsWith(folder + sep))
  const isPublic = ({ valueDeclaration: node }: ts.Symbol) =>
    !node || !(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.NonPublicAccessibilityModifier)
  const textOf = (type: ts.Type) => checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation)

  /** Exports the value of an expression, and then all that can be read from it. A type is exported once. */
  function add(expression: string, declared: ts.Type): void {
    const type = checker.getBaseConstraintOfType(declared) ?? declared
    const key = textOf(type)
    if (seen.has(key)) return
    seen.add(key)
    const name = `value${statements.length}`
    statements.push(`export const ${name} = ${expression}`)
    const value = checker.getNonNullableType(type)
    if (value !== type) add(`${name}!`, value)
    else if (type.isUnion()) for (const member of type.types) addMember(name, member)
    else addContents(name, type)
  }

  /** Exports one member of a union, if literal values select it. */
  function addMember(name: string, member: ts.Type): void {
    if (!(member.flags & ts.TypeFlags.Object)) return
    const facts = checker.getPropertiesOfType(member).flatMap((property) => {
      const fact = checker.getTypeOfSymbol(property)
      return fact.flags & plain && !(fact.flags & ts.TypeFlags.EnumLiteral)
        ? `${JSON.stringify(property.name)}: ${textOf(fact)}`
        : []
    })
    add(`only(${name}, any as { ${facts.join('; ')} })`, member)
  }

  function addContents(name: string, type: ts.Type): void {
    for (const signature of type.getCallSignatures()) addResult(name, signature)
    for (const { keyType, type: read } of checker.getIndexInfosOfType(type))
      add(`${name}[any as ${textOf(keyType)}]!`, read)
    for (const property of checker.getPropertiesOfType(type)) {
      if (/^__@(?:iterator|asyncIterator)/.test(property.name)) addItem(name, type)
      if (!isOwn(property) || !isPublic(property) || /^(?:__|~)/.test(property.name)) continue
      const read = checker.getTypeOfSymbol(property)
      const access = `${name}[${JSON.stringify(property.name)}]`
      if (read.getCallSignatures().length > 0) addFunction(access, read)
      else add(access, read)
    }
  }

  function addFunction(name: string, type: ts.Type): void {
    statements.push(`export const value${statements.length} = ${name}`)
    addContents(name, type)
    // Of several signatures, `Parameters` reads the last.
    for (const [i, parameter] of (type.getCallSignatures().at(-1)?.parameters ?? []).entries()) {
      const given = checker.getNonNullableType(checker.getTypeOfSymbol(parameter))
      for (const property of given.isUnion() ? [] : checker.getPropertiesOfType(given)) {
        const taken = checker.getNonNullableType(checker.getTypeOfSymbol(property))
        if (!isOwn(property) || taken.getCallSignatures().length === 0) continue
        const parts = `NonNullable<Parameters<typeof ${name}>[${i}]>[${JSON.stringify(property.name)}]`
        statements.push(`export const value${statements.length} = same(any as NonNullable<${parts}>)`)
      }
    }
  }

  function addItem(name: string, type: ts.Type): void {
    const [item] = checker.getTypeArguments(type as ts.TypeReference)
    if (item) add(`first(${name})`, item)
  }

  function addResult(name: string, signature: ts.Signature): void {
    const call = `${name}(${signature.parameters.map(() => 'any')})`
    const result = signature.getReturnType()
    add(call, result)
    add(`await ${call}`, checker.getAwaitedType(result) ?? result)
  }

  const imports = all.map(({ name, declarations }, index) => {
    const source = program.getSourceFile(declarations)
    const module = source && checker.getSymbolAtLocation(source)
    if (!module) throw new Error(`${name}: no declarations in ${declarations}`)
    for (const member of checker.getPropertiesOfType(checker.getTypeOfSymbol(module))) {
      const type = checker.getTypeOfSymbol(member)
      const access = `entry${index}.${member.name}`
      const prototype = checker.getPropertyOfType(type, 'prototype')
      // An instance, also of a class whose constructor is not public.
      if (prototype) add(`${access}.prototype`, checker.getTypeOfSymbol(prototype))
      if (type.getCallSignatures().length > 0) addFunction(access, type)
      else addContents(access, type)
    }
    return `import * as entry${index} from '${name}'`
  })
  return [...imports, helpers, ...statements].join('\n')
}
