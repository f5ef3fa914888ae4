import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import type { FieldDescription, ObjectDescription } from './params.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = `${root}src/contract/`

type Field = { -readonly [Name in keyof FieldDescription]: FieldDescription[Name] }

/** The folders of the interfaces that a request or a response contains. */
const folders = ['organization', 'sign-in', 'verification', 'webhooks']

const sources = folders
  .flatMap((name) => readdirSync(folder + name).map((file) => `${name}/${file}`))
  .sort()
  .map((name) => ts.createSourceFile(name, readFileSync(folder + name, 'utf8'), ts.ScriptTarget.Latest, true))

const statements = sources.flatMap((source) => [...source.statements])
const interfaces = statements
  .filter(ts.isInterfaceDeclaration)
  .filter(({ name: { text } }) => !/Registry$|Operations$/.test(text))

/** Names that a field may refer to: interfaces, and the types of listed values and of their unions. */
const targets = new Set([
  ...interfaces.map(({ name }) => name.text),
  ...statements.filter(ts.isTypeAliasDeclaration).map(({ name }) => name.text),
])
targets.delete('AgeBandKey')

/** Sentences about the types of this package, which readers of the document do not have. */
const isOfThePackage = (sentence: string) =>
  /\{@link|`in` narrows|assertPassed|declare module|the types\b|discriminates|`Band`/.test(sentence)

function textOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '')
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?]) (?=[A-Z`])/)
    .filter((sentence) => !isOfThePackage(sentence))
    .join(' ')
}

function fieldOf(member: ts.PropertySignature): Field {
  const field: Field = { description: textOf(member) }
  const values: Record<string, true> = {}
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && targets.has(node.typeName.getText())) field.of ??= node.typeName.getText()
    const isId = ts.isTypeReferenceNode(node) && node.typeName.getText() === 'Id'
    if (isId || ts.isIndexedAccessTypeNode(node)) return
    if (ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal)) values[node.literal.text] = true
    ts.forEachChild(node, visit)
  }
  if (member.type) visit(member.type)
  if (Object.keys(values).length > 0 && field.of === undefined) field.values = values
  for (const tag of ts.getJSDocTags(member))
    if (tag.tagName.text === 'default')
      field.default = JSON.parse(String(ts.getTextOfJSDocComment(tag.comment)).replaceAll("'", '"'))
  return field
}

function describe(declaration: ts.InterfaceDeclaration): ObjectDescription {
  const base = declaration.heritageClauses?.[0]?.types[0]?.expression.getText()
  const fields = declaration.members
    .filter(ts.isPropertySignature)
    .filter(({ type }) => type?.kind !== ts.SyntaxKind.UndefinedKeyword)
    .map((member): [string, Field] => [(member.name as ts.Identifier).text, fieldOf(member)])
  return {
    description: textOf(declaration),
    ...(base !== undefined && targets.has(base) && { extends: base }),
    fields: Object.fromEntries(fields),
  }
}

/** What the interfaces of the contract say about themselves and about their fields, by the name of the interface. */
export const docstrings: Readonly<Record<string, ObjectDescription>> = Object.fromEntries(
  interfaces.map((one) => [one.name.text, describe(one)]),
)
