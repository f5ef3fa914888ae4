import { readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, it } from 'vitest'

const programs = new URL('consumer/programs/', import.meta.url)

/** Returns what a program uses to silence the compiler, each with its line. */
function escapesOf(file: string): string[] {
  const text = readFileSync(new URL(file, programs), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    const escapes =
      ts.isAsExpression(node) ||
      ts.isTypeAssertionExpression(node) ||
      ts.isNonNullExpression(node) ||
      (ts.isVariableDeclaration(node) && node.exclamationToken !== undefined) ||
      node.kind === ts.SyntaxKind.AnyKeyword
    if (escapes) found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found, ...(text.match(/@ts-\w+/g) ?? [])]
}

it.each(readdirSync(programs))('%s needs no cast, no !, no any and no suppressed error', (file) => {
  expect(escapesOf(file)).toEqual([])
})
