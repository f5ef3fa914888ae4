import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstalledPackage, installPackage } from '../support/installed-package.ts'

let installed: InstalledPackage

beforeAll(async () => {
  installed = await installPackage()
}, 60_000)

afterAll(() => installed.remove())

/** Modules of others that declarations take types from, those that they load of ours included. */
function modulesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const { importedFiles, typeReferenceDirectives, libReferenceDirectives, ambientExternalModules } =
    ts.preProcessFile(readFileSync(file, 'utf8'))
  const named = [...typeReferenceDirectives, ...libReferenceDirectives].map(({ fileName }) => fileName)
  const imported = importedFiles.flatMap(({ fileName }) =>
    fileName.startsWith('.')
      ? modulesOf(join(dirname(file), fileName.replace(/\.(c?)js$/, '.d.$1ts')), seen)
      : [fileName],
  )
  return [...new Set([...named, ...imported, ...(ambientExternalModules ?? [])])].sort()
}

it.each(['import', 'require'] as const)(
  'no entry names types of other packages, those for frameworks and MSW theirs alone (%s)',
  (kind) => {
    const modules = Object.fromEntries(
      installed.entries(kind).map(({ name, declarations }) => [name, modulesOf(declarations)]),
    )

    expect(modules).toEqual({
      ...Object.fromEntries(Object.keys(modules).map((name) => [name, []])),
      // Whoever has Express has the types of Node: its own are made of them.
      'identity-service-sdk/express': ['node:http'],
      'identity-service-sdk/fastify': ['fastify'],
      'identity-service-sdk/msw': ['msw'],
    })
  },
)

/** What the compiler has against our declarations where it knows ES2022, and neither a platform nor another package. */
function faultsWithoutPlatform(files: readonly string[]): string[] {
  const options: ts.CompilerOptions = { lib: ['lib.es2022.d.ts'], types: [], module: ts.ModuleKind.NodeNext }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (imported, from) =>
    imported.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    )
  const program = ts.createProgram(files, { ...options, skipDefaultLibCheck: true }, host)
  const faults = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  return [...new Set(faults)].sort()
}

it('beyond ES2022 the declarations need web standards alone, which Workers have too', () => {
  const faults = faultsWithoutPlatform(
    [...installed.entries('import'), ...installed.entries('require')].map(({ declarations }) => declarations),
  )

  const names = ['AbortSignal', 'Blob', 'Headers', 'ReadableStream', 'Request', 'Response', 'URL']
  expect(faults.filter((fault) => !/'(?:node:http|fastify|msw)'/.test(fault))).toEqual([
    ...[...names, 'URLSearchParams'].map((name) => `Cannot find name '${name}'.`),
    // It is asked for the type of its fetch.
    "Element implicitly has an 'any' type because type 'typeof globalThis' has no index signature.",
  ])
}, 60_000)

it('the declarations name none of our own internals, and no any', () => {
  const folder = join(installed.folder, 'dist')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })

  const declarations = names.filter((name) => /\.d\.c?ts$/.test(name))

  expect(declarations.length).toBeGreaterThan(installed.entries('import').length)
  for (const name of declarations)
    expect(readFileSync(join(folder, name), 'utf8'), name).not.toMatch(/\bHttpClient\b|Zod|: any\b/)
})
