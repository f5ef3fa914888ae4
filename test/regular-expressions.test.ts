import { readdirSync, readFileSync } from 'node:fs'
import { checkSync } from 'recheck'
import ts from 'typescript'
import { beforeAll, expect, it, vi } from 'vitest'

interface Expression {
  readonly literal: string
  readonly file: string
}

const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => `src/${path}`)

/** Returns the nodes of a file that a test accepts. */
function nodesOf<Kind extends ts.Node>(file: string, accepts: (node: ts.Node) => node is Kind): Kind[] {
  const found: Kind[] = []
  const visit = (node: ts.Node): void => {
    if (accepts(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest))
  return found
}

const expressions = new Map(
  files.flatMap((file) =>
    nodesOf(file, ts.isRegularExpressionLiteral).map(({ text }): [string, Expression] => [
      text,
      { literal: text, file },
    ]),
  ),
)

// The others run a program of their own.
beforeAll(() => void vi.stubEnv('RECHECK_BACKEND', 'pure'))

/** The number of characters that are read decides, and not the time, which depends on what else the machine does. */
const counted = { timeout: 60_000, incubationTimeout: null, attackTimeout: null, seedingTimeout: null }

it.each([...expressions.values()])(
  '$literal in $file matches in a time that grows with the length of the text, and no faster',
  ({ literal }) => {
    const end = literal.lastIndexOf('/')

    expect(checkSync(literal.slice(1, end), literal.slice(end + 1), counted)).toMatchObject({
      status: 'safe',
    })
  },
)

it('builds a regular expression from text only where the text is a list of words', () => {
  const isBuilt = (node: ts.Node): node is ts.NewExpression =>
    ts.isNewExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'RegExp'

  expect(files.filter((file) => nodesOf(file, isBuilt).length > 0)).toEqual([
    'src/cli/setting-names.ts',
    'src/msw/handlers.ts',
  ])
})
