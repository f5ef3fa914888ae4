import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = new URL('../../', import.meta.url)

/** @param path path from the root of the repository */
export const sourceOf = (path: string) => readFileSync(fileURLToPath(new URL(path, root)), 'utf8')

function parsed(path: string): ts.SourceFile {
  return ts.createSourceFile(path, sourceOf(path), ts.ScriptTarget.Latest, true)
}

/**
 * The docstring of a declaration, in one line.
 *
 * @param name of an exported declaration, or of a member as `Class.member`
 */
export function docstringOf(path: string, name: string): string {
  const [outer = '', member] = name.split('.')
  const found = parsed(path).statements.find((statement) => nameOf(statement) === outer)
  const node = member === undefined ? found : membersOf(found).find((one) => nameOf(one) === member)
  if (!node) throw new Error(`${path} declares no ${name}`)
  const docs = ts.getJSDocCommentsAndTags(node).map((doc) => doc.getText())
  return docs.join(' ').replace(/\s*\n\s*\*?\s*/g, ' ')
}

const nameOf = (node: ts.Node) => ('name' in node ? (node.name as ts.Node | undefined)?.getText() : undefined)

const membersOf = (node: ts.Node | undefined): readonly ts.Node[] =>
  node && (ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) ? [...node.members] : []
