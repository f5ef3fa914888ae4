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
    if (escapes)
      found.push(`${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${node.getText()}`)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return [...found, ...(text.match(/@ts-\w+/g) ?? [])]
}

it.each(readdirSync(programs))('%s needs no cast, no !, no any and no suppressed error', (file) => {
  expect(escapesOf(file)).toEqual([])
})

it('the programs cover what users write', () => {
  expect(readdirSync(programs).sort()).toEqual([
    'await-using.ts',
    'custom-store.ts',
    'decision.ts',
    'emulator-test.ts',
    'errors.ts',
    'exhaustive.ts',
    'fakes.ts',
    'generic-helpers.ts',
    'image-checks.ts',
    'injection.ts',
    'inputs-from-outputs.ts',
    'jest.ts',
    'licenses.ts',
    'loggers.ts',
    'roster.ts',
    'sessions.ts',
    'sign-in.ts',
    'token-manager.ts',
    'verify-once.ts',
    'webhook.ts',
    'wrapper.ts',
  ])
})
