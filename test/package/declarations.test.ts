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

/**
 * Returns the modules of other packages from which declarations take types, also through other declarations of ours.
 */
function modulesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const { importedFiles, typeReferenceDirectives, libReferenceDirectives, ambientExternalModules } = ts.preProcessFile(
    readFileSync(file, 'utf8'),
  )
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
      'identity-service-sdk/opentelemetry': ['@opentelemetry/api'],
      'identity-service-sdk/msw': ['msw'],
    })
  },
)

it('the declarations contain no internal name and no any', () => {
  const folder = join(installed.folder, 'dist')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })

  const declarations = names.filter((name) => /\.d\.c?ts$/.test(name))

  expect(declarations.length).toBeGreaterThan(installed.entries('import').length)
  for (const name of declarations)
    expect(readFileSync(join(folder, name), 'utf8'), name).not.toMatch(/\bHttpClient\b|Zod|: any\b/)
})
