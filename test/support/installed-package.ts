import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { linkDependencies } from './dependencies.ts'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))
const tsc = join(root, 'node_modules/typescript/bin/tsc')

interface Entry {
  /** The specifier that a program imports. */
  readonly name: string
  /** The path of its declarations. */
  readonly declarations: string
}

export interface InstalledPackage {
  /** A project in which the packed package is installed. */
  readonly project: string
  /** The path of the packed tarball. */
  readonly tarball: string
  /** The folder of the package in the project. */
  readonly folder: string
  readonly manifest: {
    name: string
    exports: Record<string, unknown>
    dependencies: Record<string, string>
    engines: { node: string }
  }
  /** The entries of the package for ES modules or CommonJS, sorted by name. */
  entries(kind: 'import' | 'require'): readonly Entry[]
  /**
   * Writes a file into the project and runs it with Node.
   *
   * @param node path of Node, by default the one that runs the tests
   * @returns its output
   */
  run(file: string, source: string, env?: Record<string, string>, node?: string): Promise<string>
  /**
   * Writes TypeScript files into the project and compiles them with strict settings.
   *
   * @returns the errors of the compiler, empty if there are none
   */
  compile(files: Readonly<Record<string, string>>, options: Readonly<Record<string, string>>): Promise<string>
  remove(): Promise<void>
}

/**
 * Creates a project in which the package is installed as `npm publish` would publish it.
 *
 * @param instead folders of other versions of packages, by name
 */
export async function installPackage(instead: Readonly<Record<string, string>> = {}): Promise<InstalledPackage> {
  const project = await mkdtemp(join(tmpdir(), 'installed-'))
  const packed = await fetch(inject('packingUrl'))
  const tarball = await packed.text()
  if (!packed.ok) throw new Error(tarball)
  await run('tar', ['-xzf', tarball, '-C', project])
  const modules = join(project, 'node_modules')
  const folder = join(modules, 'identity-service-sdk')
  await mkdir(modules)
  await rename(join(project, 'package'), folder)
  linkDependencies(modules, instead)
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'consumer', private: true }))
  const manifest: InstalledPackage['manifest'] = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return {
    project,
    tarball,
    folder,
    manifest,
    entries(kind) {
      return Object.entries(manifest.exports)
        .filter(([path]) => !path.endsWith('.json'))
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([path, exported]) => {
          const name = posix.join(manifest.name, path)
          const { types } =
            (exported as Record<string, { types?: string }>)[kind === 'import' ? 'import' : 'default'] ?? {}
          if (types === undefined) throw new Error(`${name} has no types for ${kind}`)
          return { name, declarations: join(folder, types) }
        })
    },
    async run(file, source, env = {}, node = process.execPath) {
      const path = join(project, file)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, source)
      const result = await run(node, [path], { cwd: project, env: { ...process.env, ...env } })
      return result.stdout
    },
    async compile(files, options) {
      for (const [file, source] of Object.entries(files)) await writeFile(join(project, file), source)
      const all = { target: 'es2022', types: 'node', ...options }
      const flags = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])
      const args = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', ...flags, ...Object.keys(files)]
      const compiler = run(process.execPath, [tsc, ...args], { cwd: project })
      return compiler.then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      )
    },
    remove: () => rm(project, { recursive: true, force: true }),
  }
}
