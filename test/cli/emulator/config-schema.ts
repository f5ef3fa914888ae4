import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const file = `${root}src/cli/emulator/config.ts`

type Json = Readonly<Record<string, unknown>>

/** Returns the JSON Schema of the type `EmulatorConfig`, with its docstrings. */
export function configSchema(): Json {
  const { config } = ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const program = ts.createProgram([file], { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  const symbol = source && checker.getSymbolAtLocation(source)
  const exported = symbol && checker.getExportsOfModule(symbol).find(({ name }) => name === 'EmulatorConfig')
  if (exported === undefined) throw new Error('config.ts does not export EmulatorConfig')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of identity-service-sdk emulator',
    ...schemaOf(checker.getDeclaredTypeOfSymbol(exported), checker),
  }
}

function schemaOf(type: ts.Type, checker: ts.TypeChecker): Json {
  const { flags } = type
  if (type.isUnion()) return unionOf(type, checker)
  // A value that the contract does not list.
  if (type.isStringLiteral() && type.value.includes(' ')) return { type: 'string' }
  if (type.isStringLiteral() || type.isNumberLiteral()) return { enum: [type.value] }
  if (flags & ts.TypeFlags.BooleanLiteral) return { enum: [checker.typeToString(type) === 'true'] }
  if (flags & (ts.TypeFlags.StringLike | ts.TypeFlags.TemplateLiteral)) return { type: 'string' }
  if (flags & ts.TypeFlags.NumberLike) return { type: 'number' }
  if (flags & ts.TypeFlags.Null) return { type: 'null' }
  if (flags & ts.TypeFlags.Unknown) return {}
  // An id, or a text that is not listed.
  if (type.isIntersection() && type.types.some((one) => one.flags & ts.TypeFlags.StringLike)) return { type: 'string' }
  if (checker.isArrayType(type)) {
    const [item] = checker.getTypeArguments(type as ts.TypeReference)
    return { type: 'array', items: item === undefined ? {} : schemaOf(item, checker) }
  }
  if (type.symbol?.name === 'Date') return { type: 'string', format: 'date-time' }
  return objectOf(type, checker)
}

function unionOf(type: ts.UnionType, checker: ts.TypeChecker): Json {
  const members = type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
  const all = members.map((one) => schemaOf(one, checker))
  const values = all.flatMap((one) => (Array.isArray(one.enum) ? one.enum : []))
  const isBoolean = values.includes(true) && values.includes(false)
  const literals = isBoolean ? values.filter((value) => typeof value !== 'boolean') : values
  const distinct = new Map(all.filter((one) => !('enum' in one)).map((one) => [JSON.stringify(one), one]))
  const schemas = [
    ...(literals.length > 0 ? [{ enum: literals }] : []),
    ...(isBoolean ? [{ type: 'boolean' }] : []),
    ...distinct.values(),
  ]
  const [only] = schemas
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas }
}

function objectOf(type: ts.Type, checker: ts.TypeChecker): Json {
  const properties: Record<string, Json> = {}
  const required: string[] = []
  for (const property of checker.getPropertiesOfType(type)) {
    const valueType = checker.getTypeOfSymbol(property)
    if (!(property.flags & ts.SymbolFlags.Optional)) required.push(property.name)
    properties[property.name] = { ...describe(property, checker), ...schemaOf(valueType, checker) }
  }
  const index = checker.getIndexTypeOfType(type, ts.IndexKind.String)
  if (index === undefined && Object.keys(properties).length === 0) return { type: 'object' }
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 && { properties }),
    additionalProperties: index === undefined ? false : schemaOf(index, checker),
    ...(required.length > 0 && { required }),
  }
}

/** Returns the docstring of a property, without what only a program can do. */
function describe(property: ts.Symbol, checker: ts.TypeChecker): Json {
  const text = ts.displayPartsToString(property.getDocumentationComment(checker))
  const byDefault = property.getJsDocTags(checker).find(({ name }) => name === 'default')
  const parts = [text, byDefault && `Default: ${ts.displayPartsToString(byDefault.text)}`]
  const description = parts
    .filter(Boolean)
    .join('\n\n')
    .replace(/(?<!\n)\n(?![\n-])/g, ' ')
  return description === '' ? {} : { description }
}
