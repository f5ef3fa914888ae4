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

/** Returns the modules of other packages from which declarations take types, also through other declarations of ours. */
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
  'no entry takes types from other packages, except from the framework or tool that it is for (%s)',
  (kind) => {
    const modules = Object.fromEntries(
      installed.entries(kind).map(({ name, declarations }) => [name, modulesOf(declarations)]),
    )

    expect(modules).toEqual({
      ...Object.fromEntries(Object.keys(modules).map((name) => [name, []])),
      // A project with the types of Express has the types of Node, because the former use the latter.
      'identity-service-sdk/express': ['node:http'],
      'identity-service-sdk/fastify': ['fastify'],
      'identity-service-sdk/msw': ['msw'],
    })
  },
)

/** Returns the errors of a compiler that has the types of ES2022 only: of no platform and of no other package. */
function errorsWithoutPlatform(files: readonly string[]): string[] {
  const options: ts.CompilerOptions = { lib: ['lib.es2022.d.ts'], types: [], module: ts.ModuleKind.NodeNext }
  const host = ts.createCompilerHost(options)
  host.resolveModuleNameLiterals = (imported, from) =>
    imported.map(({ text }) =>
      text.startsWith('.') ? ts.resolveModuleName(text, from, options, host) : { resolvedModule: undefined },
    )
  const program = ts.createProgram(files, { ...options, skipDefaultLibCheck: true }, host)
  const errors = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  return [...new Set(errors)].sort()
}

it('the declarations need ES2022 and web standards only, which Workers have too', () => {
  const errors = errorsWithoutPlatform(
    [...installed.entries('import'), ...installed.entries('require')].map(({ declarations }) => declarations),
  )

  const names = [
    'AbortSignal',
    'Blob',
    'Headers',
    'ReadableStream',
    'Request',
    'RequestInit',
    'Response',
    'URL',
  ]
  expect(errors.filter((error) => !/'(?:node:http|fastify|msw)'/.test(error))).toEqual([
    ...[...names, 'URLSearchParams'].map((name) => `Cannot find name '${name}'.`),
    // The option `fetch` has the type of `globalThis.fetch`.
    "Element implicitly has an 'any' type because type 'typeof globalThis' has no index signature.",
  ])
}, 60_000)

it('the declarations contain no internal name and no any', () => {
  const folder = join(installed.folder, 'dist')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })

  const declarations = names.filter((name) => /\.d\.c?ts$/.test(name))

  expect(declarations.length).toBeGreaterThan(installed.entries('import').length)
  for (const name of declarations)
    expect(readFileSync(join(folder, name), 'utf8'), name).not.toMatch(/\bHttpClient\b|Zod|: any\b/)
})
