import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { transform } from 'esbuild'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { isSdkError } from '../../src/index.ts'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'
import { publicDocstrings } from '../support/public-docstrings.ts'
import { typeCheck } from '../support/type-check.ts'
import type { aWorld, fetchOfExamples, World } from './world.ts'

interface Example {
  readonly name: string
  readonly source: string
  readonly file: string
}

const all = publicDocstrings()
const examples: readonly Example[] = all.flatMap(({ name, tags }) =>
  tags('example').map((source, index) => ({
    name,
    source,
    file: `${/^[a-z]/.test(name) ? 'function-' : ''}${name.replaceAll('.', '-')}-${index}`,
  })),
)
const entryOf = new Map(
  all
    .filter(({ kind }) => kind === 'function' || kind === 'class' || kind === 'value')
    .map(({ name, entry }) => [name, entry]),
)

/** Examples that need a server. They are compiled and loaded; `test/services` tests the stores. */
const notRun = new Set(['redisStore', 'postgresStore', 'postgresStoreSql'])

/** Examples that the emulator rejects, with the code of the error. */
const rejected: Readonly<Record<string, string>> = {
  'Legacy.exchangeCode': 'endpoint_removed',
  'Legacy.userinfo': 'endpoint_removed',
  'Legacy.licenses': 'endpoint_removed',
  'Legacy.verifications': 'endpoint_removed',
  'Legacy.refresh': 'endpoint_removed',
  'FaceUniqueness.delete': 'not_found',
  'VerificationClient.request': 'endpoint_not_found',
  'OidcClient.request': 'endpoint_not_found',
}

/** Prepares the world for an example. Returns the names that are different for it. */
const prepare: Readonly<Record<string, (world: World) => Promise<Partial<World>>>> = {
  'Sessions.waitForDecision': async ({ emulator, id }) => {
    await emulator.sessions.complete(id, 'APPROVED')
    return {}
  },
  'Members.reactivate': async ({ org }) => {
    await org.members.deactivate('ada@example.com')
    return {}
  },
  'BasicVerificationManager.ensureApproved': async ({ emulator, event, verifications }) => {
    await emulator.sessions.complete(event.session_id, 'APPROVED')
    await verifications.handle(event)
    return {}
  },
  parseReturnUrl: async ({ id }) => ({ req: { url: `/return?session_id=${id}&status=APPROVED` } }),
}

let installed: InstalledPackage
let world: { aWorld: typeof aWorld; fetchOfExamples: typeof fetchOfExamples }
const folder = process.cwd()

beforeAll(async () => {
  installed = await installPackage()
  for (const [file, text] of [
    ['world', await sourceOfWorld()] as const,
    ...examples.map((one) => [one.file, programOf(one)] as const),
  ])
    await writeFile(join(installed.project, `${file}.mjs`), (await transform(text, { loader: 'ts' })).code)
  for (const image of ['passport.jpg', 'front.jpg']) await writeFile(join(installed.project, image), 'an image')
  world = await load('world')
  process.chdir(installed.project)
}, 120_000)

afterAll(async () => {
  process.chdir(folder)
  await installed.remove()
})

/** The world with the data that it imports, as one module, because it runs in a project of its own. */
async function sourceOfWorld(): Promise<string> {
  const [world, data] = await Promise.all(
    ['world.ts', '../support/sample-data.ts'].map((path) => readFile(new URL(path, import.meta.url), 'utf8')),
  )
  return `${data?.replaceAll('export const', 'const')}${world?.replace(/^import .*sample-data.ts'$/m, '')}`
}

const load = async <Exports>(file: string): Promise<Exports> =>
  import(/* @vite-ignore */ pathToFileURL(join(installed.project, `${file}.mjs`)).href)

/** An example as a module: names of the package are imported, other names are passed as an argument. */
function programOf(example: Example): string {
  const { modules, source } = withoutModules(example.source)
  const { used, declared } = namesIn(source)
  const free = [...used].filter((name) => !declared.has(name))
  const imports = free
    .filter((name) => entryOf.has(name))
    .map((name) => `import { ${name} } from '${entryOf.get(name)}'`)
  const surrounding = free.filter((name) => !entryOf.has(name) && !(name in globalThis))
  const body = source
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
  return `${imports.join('\n')}
import type { World } from './world.js'
${modules}
export default async ({ ${surrounding.join(', ')} }: World) => {
${body}
}
`
}

/** Separates declarations of modules, which a function cannot contain. */
function withoutModules(source: string): { modules: string; source: string } {
  const { statements } = ts.createSourceFile('example.ts', source, ts.ScriptTarget.Latest)
  const textOf = (those: readonly ts.Statement[]) => those.map(({ pos, end }) => source.slice(pos, end)).join('')
  const modules = statements.filter(ts.isModuleDeclaration)
  const others = statements.filter((one) => !ts.isModuleDeclaration(one))
  const comment = source.slice(statements.at(-1)?.end)
  return { modules: textOf(modules), source: textOf(others) + comment }
}

function namesIn(source: string): { used: Set<string>; declared: Set<string> } {
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) &&
      ts.isIdentifier(node.name)
    )
      declared.add(node.name.text)
    const { parent } = node
    const isMember =
      parent &&
      ((ts.isPropertyAccessExpression(parent) && parent.name === node) ||
        (ts.isPropertyAssignment(parent) && parent.name === node) ||
        (ts.isBindingElement(parent) && parent.propertyName === node) ||
        ts.isPropertySignature(parent) ||
        ts.isTypeReferenceNode(parent))
    if (ts.isIdentifier(node) && !isMember) used.add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('example.ts', source, ts.ScriptTarget.Latest, true))
  return { used, declared }
}

it('compiles every example of a docstring with strict settings', async () => {
  const errors = await typeCheck(installed.project, {
    'world.ts': await sourceOfWorld(),
    ...Object.fromEntries(examples.map((one) => [`${one.file}.ts`, programOf(one)])),
  })

  expect(errors).toBe('')
}, 120_000)

it.each(examples)('runs the example of $name', async ({ name, file }) => {
  const around = await world.aWorld()
  const { emulator } = around
  vi.stubEnv('SVC_TRANSPORT', 'fetch')
  vi.stubEnv('KEY', emulator.options.verification.apiKey)
  vi.stubGlobal('fetch', world.fetchOfExamples)
  for (const method of ['log', 'error'] as const) vi.spyOn(console, method).mockImplementation(() => {})

  const { default: example } = await load<{ default: (world: World) => Promise<unknown> }>(file)
  const run = async () => {
    if (!notRun.has(name)) await example({ ...around, ...(await prepare[name]?.(around)) })
  }

  try {
    const code = rejected[name]
    const thrown: unknown = await run().then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(
      isSdkError(thrown) ? thrown.code : thrown,
      `the example of ${name}: ${thrown}. Examples find what is in test/support/sample-data.ts and in test/docstrings/world.ts. What an example needs besides is in \`prepare\` of test/docstrings/examples.test.ts, and the code of an example that fails is in \`rejected\``,
    ).toBe(code)
  } finally {
    around.end()
  }
})
